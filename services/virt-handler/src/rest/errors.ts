import { RpcError, Status } from '@yagura/contracts';

/** An answer other than success, in the shape of the Kubernetes API. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const REASONS: Record<number, string> = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const CODES: Partial<Record<Status, number>> = {
  [Status.FAILED_PRECONDITION]: 409,
  [Status.INVALID_ARGUMENT]: 400,
  [Status.NOT_FOUND]: 404,
  [Status.UNAVAILABLE]: 503,
  [Status.DEADLINE_EXCEEDED]: 504,
};

/** Any error as one with an HTTP status: a launcher's answer keeps its meaning. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const rpc = RpcError.from(error);
  return new HttpError(CODES[rpc.code] ?? 500, rpc.message, { cause: error });
}

/** metav1.Status. */
export function statusBody(error: HttpError): object {
  const { code, message } = error;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: REASONS[code] ?? 'Unknown',
    code,
  };
}
