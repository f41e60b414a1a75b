import type { GuestAgentInfo, GuestFilesystemList, GuestOsUserList } from '@yagura/api';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { bytes, columns, parseFormat, render } from '../output.ts';
import { getSubresource } from '../subresource.ts';
import { parseTarget } from '../target.ts';

/** guestosinfo, userlist and fslist: what the guest agent says, from virt-handler's cache. */
export function addGuest(program: Command, context: CliContext): void {
  const query = <T>(name: string, subresource: string, description: string, table: (value: T) => string) =>
    program
      .command(name)
      .description(description)
      .argument('<namespace/name>', 'the virtual machine')
      .option('-o, --output <format>', 'table, json or yaml', parseFormat, 'table')
      .action(async (text: string, { output }: { output: ReturnType<typeof parseFormat> }) => {
        const client = await context.client();
        const target = parseTarget(text, client.access.namespace);
        const value = await getSubresource<T>(client, 'virtualmachineinstances', target, subresource, context.signal);
        context.out(render(value, output, table));
      });
  query<GuestAgentInfo>('guestosinfo', 'guestosinfo', 'what the guest agent says of its system', guestTable);
  query<GuestOsUserList>('userlist', 'userlist', 'users logged in to the guest', usersTable);
  query<GuestFilesystemList>('fslist', 'filesystemlist', 'mounted file systems of the guest', filesystemsTable);
}

export function guestTable(info: GuestAgentInfo): string {
  const rows: [string, string | undefined][] = [
    ['Hostname', info.hostname],
    ['System', info.os?.prettyName ?? info.os?.name],
    ['Kernel', info.os?.kernelRelease],
    ['Machine', info.os?.machine],
    ['Timezone', info.timezone],
    ['Guest agent', info.guestAgentVersion],
    ['File systems', info.fsFreezeStatus],
  ];
  return rows.flatMap(([label, value]) => (value ? [`${label.padEnd(14)}${value}\n`] : [])).join('');
}

export function usersTable({ items }: GuestOsUserList): string {
  if (items.length === 0) return 'No user is logged in.\n';
  const rows = items.map((user) => [
    user.userName,
    user.domain ?? '',
    user.loginTime === undefined ? '' : new Date(user.loginTime * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
  ]);
  return columns(['USER', 'DOMAIN', 'LOGIN'], rows);
}

export function filesystemsTable({ items }: GuestFilesystemList): string {
  if (items.length === 0) return 'The guest agent names no file system.\n';
  const rows = items.map(({ mountPoint, diskName, fileSystemType, usedBytes, totalBytes }) => [
    mountPoint,
    diskName,
    fileSystemType,
    usedBytes === undefined ? '' : bytes(usedBytes),
    totalBytes === undefined ? '' : bytes(totalBytes),
    usedBytes !== undefined && totalBytes ? `${Math.round((100 * usedBytes) / totalBytes)} %` : '',
  ]);
  return columns(['MOUNTED ON', 'DISK', 'TYPE', 'USED', 'SIZE', 'USE'], rows);
}
