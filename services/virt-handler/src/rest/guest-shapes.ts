import type {
  GetFilesystemsResponse,
  GetGuestInfoResponse,
  GetUsersResponse,
  GuestFilesystem,
  GuestUser,
} from '@yagura/contracts';

/** As many users and filesystems are part of `guestosinfo`; their own lists are whole. */
const CAP = 10;

interface UserShape {
  userName: string;
  domain?: string;
  loginTime?: number;
}

function user({ name, domain, loginTime }: GuestUser): UserShape {
  return {
    userName: name,
    ...(domain ? { domain } : {}),
    ...(loginTime ? { loginTime: Number(loginTime.seconds) + loginTime.nanos / 1e9 } : {}),
  };
}

/** Bytes are exact up to 8 PiB in JSON; what the agent did not say is 0 on this wire, which has no other word. */
function filesystem(fs: GuestFilesystem) {
  return {
    diskName: fs.diskName,
    mountPoint: fs.mountPoint,
    fileSystemType: fs.type,
    usedBytes: Number(fs.usedBytes ?? 0n),
    totalBytes: Number(fs.totalBytes ?? 0n),
    ...(fs.disks.length === 0
      ? {}
      : { disk: fs.disks.map(({ serial, busType }) => ({ ...(serial ? { serial } : {}), busType: busType ?? '' })) }),
  };
}

const meta = (kind: string) => ({ kind, apiVersion: 'subresources.kubevirt.io/v1', metadata: {} });

/** `VirtualMachineInstanceGuestAgentInfo`. */
export function guestOsInfoShape(
  info: GetGuestInfoResponse,
  users: GetUsersResponse,
  filesystems: GetFilesystemsResponse,
) {
  const { os, supportedCommands } = info;
  return {
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    apiVersion: 'subresources.kubevirt.io/v1',
    guestAgentVersion: info.agentVersion ?? '',
    ...(supportedCommands.length === 0
      ? {}
      : { supportedCommands: supportedCommands.map(({ name, enabled }) => ({ name, enabled })) }),
    ...(info.hostname ? { hostname: info.hostname } : {}),
    os: osShape(os),
    ...(info.timezone ? { timezone: info.timezone } : {}),
    ...(users.users.length === 0 ? {} : { userList: users.users.slice(0, CAP).map(user) }),
    fsInfo: { disks: filesystems.filesystems.slice(0, CAP).map(filesystem) },
    ...(info.fsfreezeStatus ? { fsFreezeStatus: info.fsfreezeStatus } : {}),
  };
}

function osShape(os: GetGuestInfoResponse['os']): Record<string, string> {
  if (os === undefined) return {};
  const { name, kernelRelease, version, prettyName, versionId, kernelVersion, machine, id } = os;
  const told = { name, kernelRelease, version, prettyName, versionId, kernelVersion, machine, id };
  return Object.fromEntries(Object.entries(told).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** `VirtualMachineInstanceGuestOSUserList`. */
export function userListShape({ users }: GetUsersResponse) {
  return { ...meta('VirtualMachineInstanceGuestOSUserList'), items: users.map(user) };
}

/** `VirtualMachineInstanceFileSystemList`. */
export function filesystemListShape({ filesystems }: GetFilesystemsResponse) {
  return { ...meta('VirtualMachineInstanceFileSystemList'), items: filesystems.map(filesystem) };
}
