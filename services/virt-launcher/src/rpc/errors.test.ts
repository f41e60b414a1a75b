import { RpcError, Status } from '@yagura/contracts';
import { ConversionError } from '@yagura/domain';
import { LibvirtError, LibvirtTimeoutError } from '@yagura/libvirt';
import { DiskNotReadyError, UnsupportedVolumeError } from '../disks/prepare.ts';
import { VolumeError } from '../disks/volume-error.ts';
import { OtherInstanceError, SilentQemuError, WrongStateError } from '../domain/errors.ts';
import { StartError } from '../domain/sync.ts';
import { NotConnectedError } from '../libvirt/link.ts';
import { toRpcError } from './errors.ts';

const libvirt = (code: number, domain = 10, message = 'no') =>
  new LibvirtError('x', { code, domain, level: 2, message });
const INTERNAL_ERROR = 1;
const XML_ERROR = 27;
const RPC_ERROR = 39;
const NO_DOMAIN = 42;
const OPERATION_INVALID = 55;

describe('an error of the launcher on the wire', () => {
  test.each<[Error, Status, string | undefined]>([
    [new ConversionError('spec.x', 'is bad'), Status.INVALID_ARGUMENT, 'CANNOT_CONVERT'],
    [new UnsupportedVolumeError('spec.volumes[0]', 'no'), Status.INVALID_ARGUMENT, 'CANNOT_CONVERT'],
    [new VolumeError('v', 'unsafe', 'x'), Status.INVALID_ARGUMENT, 'VOLUME_UNSAFE'],
    [new DiskNotReadyError('x'), Status.FAILED_PRECONDITION, 'DISK_NOT_READY'],
    [new OtherInstanceError('x'), Status.ALREADY_EXISTS, 'OTHER_INSTANCE'],
    [new WrongStateError('x'), Status.FAILED_PRECONDITION, 'WRONG_STATE'],
    [new SilentQemuError('x'), Status.DEADLINE_EXCEEDED, 'QEMU_SILENT'],
    [new NotConnectedError('x'), Status.UNAVAILABLE, 'LIBVIRT_NOT_CONNECTED'],
    [new LibvirtTimeoutError('x', 1, true), Status.DEADLINE_EXCEEDED, 'LIBVIRT_TIMEOUT'],
    [libvirt(NO_DOMAIN), Status.FAILED_PRECONDITION, 'LIBVIRT_NO_DOMAIN'],
    [libvirt(OPERATION_INVALID), Status.FAILED_PRECONDITION, 'LIBVIRT_OPERATION_INVALID'],
    [libvirt(RPC_ERROR, 7), Status.UNAVAILABLE, 'LIBVIRT_CONNECTION_LOST'],
    [libvirt(INTERNAL_ERROR), Status.INTERNAL, 'LIBVIRT_INTERNAL_ERROR'],
    [new StartError('x', { cause: libvirt(XML_ERROR) }), Status.INVALID_ARGUMENT, 'LIBVIRT_XML_ERROR'],
    [new StartError('x', { cause: libvirt(INTERNAL_ERROR) }), Status.INTERNAL, 'LIBVIRT_INTERNAL_ERROR'],
    [new Error('odd'), Status.INTERNAL, undefined],
  ])('%s', (error, code, reason) => {
    const rpc = toRpcError(error);
    expect([rpc.code, rpc.details.reason, rpc.message]).toEqual([code, reason, error.message]);
  });

  test('names the field', () => {
    expect(toRpcError(new ConversionError('spec.x', 'is bad')).details.violations).toEqual([
      { field: 'spec.x', description: 'spec.x: is bad' },
    ]);
  });

  test('that has a status keeps it', () => {
    const error = new RpcError(Status.ABORTED, 'x');
    expect(toRpcError(error)).toBe(error);
  });
});
