import {
  AnswerState,
  type AnswerStatus,
  type GetFilesystemsResponse,
  type GetGuestInfoResponse,
  type GetUsersResponse,
  type GuestFilesystem,
  type GuestUser,
} from '@yagura/contracts';
import { HttpError } from './errors.ts';

/** As many users and filesystems are part of `guestosinfo`; their own lists are whole. */
const CAP = 10;

/** What the agent was not heard to say is neither empty nor zero: there is nothing to show yet. */
function requireAnswer(status: AnswerStatus | undefined, what: string): void {
  if (isAnswered(status)) return;
  const why = status?.error ? ` (${status.error})` : '';
  throw new HttpError(503, `the guest agent has not answered yet about ${what}${why}; try again`);
}

function isAnswered(status: AnswerStatus | undefined): boolean {
  return status !== undefined && ![AnswerState.UNSPECIFIED, AnswerState.NEVER].includes(status.state);
}

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

/** Bytes are exact up to 8 PiB in JSON; those that the agent did not tell are left out. */
function filesystem(fs: GuestFilesystem) {
  return {
    diskName: fs.diskName,
    mountPoint: fs.mountPoint,
    fileSystemType: fs.type,
    ...(fs.usedBytes === undefined ? {} : { usedBytes: Number(fs.usedBytes) }),
    ...(fs.totalBytes === undefined ? {} : { totalBytes: Number(fs.totalBytes) }),
    ...(fs.disks.length === 0
      ? {}
      : { disk: fs.disks.map(({ serial, busType }) => ({ ...(serial ? { serial } : {}), busType: busType ?? '' })) }),
  };
}

const meta = (kind: string) => ({ kind, apiVersion: 'subresources.kubevirt.io/v1', metadata: {} });

/** `VirtualMachineInstanceGuestAgentInfo`. Users and filesystems come with it where they are known. */
export function guestOsInfoShape(
  info: GetGuestInfoResponse,
  users: GetUsersResponse,
  filesystems: GetFilesystemsResponse,
) {
  const { os, supportedCommands } = info;
  requireAnswer(info.agentStatus, 'itself');
  return {
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    apiVersion: 'subresources.kubevirt.io/v1',
    ...(info.agentVersion ? { guestAgentVersion: info.agentVersion } : {}),
    ...(supportedCommands.length === 0
      ? {}
      : { supportedCommands: supportedCommands.map(({ name, enabled }) => ({ name, enabled })) }),
    ...(info.hostname ? { hostname: info.hostname } : {}),
    os: osShape(os),
    ...(info.timezone ? { timezone: info.timezone } : {}),
    ...(users.users.length === 0 ? {} : { userList: users.users.slice(0, CAP).map(user) }),
    ...(isAnswered(filesystems.status)
      ? { fsInfo: { disks: filesystems.filesystems.slice(0, CAP).map(filesystem) } }
      : {}),
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
export function userListShape({ users, status }: GetUsersResponse) {
  requireAnswer(status, 'users');
  return { ...meta('VirtualMachineInstanceGuestOSUserList'), items: users.map(user) };
}

/** `VirtualMachineInstanceFileSystemList`. */
export function filesystemListShape({ filesystems, status }: GetFilesystemsResponse) {
  requireAnswer(status, 'filesystems');
  return { ...meta('VirtualMachineInstanceFileSystemList'), items: filesystems.map(filesystem) };
}
