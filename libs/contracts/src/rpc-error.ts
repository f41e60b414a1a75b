import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { anyPack, anyUnpack } from '@bufbuild/protobuf/wkt';
import { Metadata, type ServiceError, status as Status, type StatusObject } from '@grpc/grpc-js';
import { BadRequestSchema, ErrorInfoSchema } from './gen/google/rpc/error_details_pb.js';
import { StatusSchema } from './gen/google/rpc/status_pb.js';

export { Status };

const DETAILS_KEY = 'grpc-status-details-bin';
const DOMAIN = 'yagura.dev';

/** What may travel with a status besides its message. */
export interface RpcErrorDetails {
  /** A machine-readable cause in capitals, e.g. `LIBVIRT_OPERATION_TIMEOUT`. */
  reason?: string;
  metadata?: Record<string, string>;
  /** Request fields that cannot be accepted. */
  violations?: { field: string; description: string }[];
}

/** A gRPC status as an error: thrown by handlers, thrown to callers, the same on both sides of the wire. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: Status;
  readonly details: RpcErrorDetails;

  constructor(code: Status, message: string, details: RpcErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  /** Any error as an RpcError; one that is none already becomes INTERNAL, with its message kept. */
  static from(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    const message = error instanceof Error ? error.message : String(error);
    return new RpcError(Status.INTERNAL, message, {}, { cause: error });
  }
}

/** The status as a server sends it. */
export function toStatusObject(error: RpcError): StatusObject {
  const { reason, metadata, violations } = error.details;
  const details = [];
  if (reason !== undefined) {
    details.push(
      anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason, domain: DOMAIN, metadata: metadata ?? {} })),
    );
  }
  if (violations !== undefined) {
    details.push(anyPack(BadRequestSchema, create(BadRequestSchema, { fieldViolations: violations })));
  }
  const trailers = new Metadata();
  if (details.length > 0) {
    const bytes = toBinary(StatusSchema, create(StatusSchema, { code: error.code, message: error.message, details }));
    trailers.set(DETAILS_KEY, Buffer.from(bytes));
  }
  return { code: error.code, details: error.message, metadata: trailers };
}

/** The error that a client's call ended with; details that cannot be read are left out, never invented. */
export function fromServiceError(error: ServiceError): RpcError {
  const details: RpcErrorDetails = {};
  const bytes = error.metadata?.get(DETAILS_KEY)[0];
  if (bytes instanceof Uint8Array) {
    for (const any of fromBinary(StatusSchema, bytes).details) {
      const info = anyUnpack(any, ErrorInfoSchema);
      if (info) Object.assign(details, { reason: info.reason, metadata: info.metadata });
      const bad = anyUnpack(any, BadRequestSchema);
      if (bad) details.violations = bad.fieldViolations.map(({ field, description }) => ({ field, description }));
    }
  }
  return new RpcError(error.code, error.details, details, { cause: error });
}
