import { LAUNCHER_UID } from '@yagura/api';
import { findLink, isUp, type Link } from './links.ts';
import type { Plan } from './plan.ts';

/** Commands for a tap device of the launcher's on the plan's bridge, as far as it is not there. */
export function tapCommands(links: readonly Link[], { tap, bridge, multiQueue }: Plan, mtu: number): string[] {
  const link = findLink(links, tap);
  const commands: string[] = [];
  if (link === undefined) {
    const queues = multiQueue ? ' multi_queue' : '';
    commands.push(`tuntap add dev ${tap} mode tap user ${LAUNCHER_UID} group ${LAUNCHER_UID}${queues}`);
  }
  if (link?.mtu !== mtu) commands.push(`link set dev ${tap} mtu ${mtu}`);
  if (link?.master !== bridge) commands.push(`link set dev ${tap} master ${bridge}`);
  if (!isUp(link)) commands.push(`link set dev ${tap} up`);
  return commands;
}
