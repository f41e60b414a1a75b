import { RpcError, type RpcErrorDetails, Status } from '@yagura/contracts';
import { ConversionError } from '@yagura/domain';
import { type ErrorCode, isConnectionLost, isLibvirtError, LibvirtTimeoutError } from '@yagura/libvirt';
import { CloudInitError } from '../disks/cloud-init.ts';
import { DiskNotReadyError, UnsupportedVolumeError } from '../disks/prepare.ts';
import { VolumeError, type VolumeProblem } from '../disks/volume-error.ts';
import { OtherInstanceError, SilentQemuError, WrongStateError } from '../domain/errors.ts';
import { StartError } from '../domain/sync.ts';
import { NotConnectedError } from '../libvirt/link.ts';

const LIBVIRT_STATUS: Partial<Record<ErrorCode, Status>> = {
  NO_DOMAIN: Status.FAILED_PRECONDITION,
  OPERATION_INVALID: Status.FAILED_PRECONDITION,
  XML_ERROR: Status.INVALID_ARGUMENT,
  XML_DETAIL: Status.INVALID_ARGUMENT,
  XML_INVALID_SCHEMA: Status.INVALID_ARGUMENT,
  CONFIG_UNSUPPORTED: Status.INVALID_ARGUMENT,
  INVALID_ARG: Status.INVALID_ARGUMENT,
  OPERATION_TIMEOUT: Status.DEADLINE_EXCEEDED,
  AGENT_UNRESPONSIVE: Status.UNAVAILABLE,
  OPERATION_UNSUPPORTED: Status.UNIMPLEMENTED,
  ARGUMENT_UNSUPPORTED: Status.UNIMPLEMENTED,
  NO_SUPPORT: Status.UNIMPLEMENTED,
};

const VOLUME_STATUS: Record<VolumeProblem, Status> = {
  missing: Status.NOT_FOUND,
  access: Status.PERMISSION_DENIED,
  space: Status.RESOURCE_EXHAUSTED,
  unsafe: Status.INVALID_ARGUMENT,
  other: Status.INTERNAL,
};

/** Any error of the launcher as the status that the contract promises for it. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const status = (code: Status, details: RpcErrorDetails = {}) =>
    new RpcError(code, error instanceof Error ? error.message : String(error), details, { cause: error });
  if (error instanceof ConversionError || error instanceof CloudInitError || error instanceof UnsupportedVolumeError) {
    const violations = [{ field: error.field, description: error.message }];
    return status(Status.INVALID_ARGUMENT, { reason: 'CANNOT_CONVERT', violations });
  }
  if (error instanceof VolumeError)
    return status(VOLUME_STATUS[error.problem], { reason: `VOLUME_${error.problem.toUpperCase()}` });
  if (error instanceof DiskNotReadyError) return status(Status.FAILED_PRECONDITION, { reason: 'DISK_NOT_READY' });
  if (error instanceof OtherInstanceError) return status(Status.ALREADY_EXISTS, { reason: 'OTHER_INSTANCE' });
  if (error instanceof WrongStateError) return status(Status.FAILED_PRECONDITION, { reason: 'WRONG_STATE' });
  if (error instanceof SilentQemuError) return status(Status.DEADLINE_EXCEEDED, { reason: 'QEMU_SILENT' });
  if (error instanceof NotConnectedError) return status(Status.UNAVAILABLE, { reason: 'LIBVIRT_NOT_CONNECTED' });
  if (error instanceof StartError) {
    const cause = toRpcError(error.cause);
    return status(cause.code, { ...cause.details, reason: cause.details.reason ?? 'START_FAILED' });
  }
  if (error instanceof LibvirtTimeoutError) return status(Status.DEADLINE_EXCEEDED, { reason: 'LIBVIRT_TIMEOUT' });
  if (isConnectionLost(error)) return status(Status.UNAVAILABLE, { reason: 'LIBVIRT_CONNECTION_LOST' });
  if (isLibvirtError(error)) {
    const code = LIBVIRT_STATUS[error.code as ErrorCode] ?? Status.INTERNAL;
    return status(code, { reason: `LIBVIRT_${error.code}`, metadata: { domain: error.domain } });
  }
  return RpcError.from(error);
}
