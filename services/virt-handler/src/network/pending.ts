import type { VirtualMachineInstance } from '@yagura/api';
import type { Domain } from '@yagura/contracts';

/** What of the spec's interfaces the running domain does not have yet, such as `plug blue` or `link red down`. */
export function pendingInterfaces(vmi: VirtualMachineInstance, { interfaces }: Pick<Domain, 'interfaces'>): string[] {
  return (vmi.spec.domain.devices?.interfaces ?? []).flatMap(({ name, state }) => {
    const live = interfaces.find((nic) => nic.name === name);
    if (state === 'absent') return live ? [`unplug ${name}`] : [];
    if (live === undefined) return isAttached(vmi, name) ? [`plug ${name}`] : [];
    const wanted = state === 'down' ? 'down' : 'up';
    return (live.linkState || 'up') === wanted ? [] : [`link ${name} ${wanted}`];
  });
}

/** Interfaces that have left the domain, as wanted, and of which the status does not say so yet. */
export function unpluggedInterfaces(vmi: VirtualMachineInstance, { interfaces }: Pick<Domain, 'interfaces'>): string[] {
  return (vmi.spec.domain.devices?.interfaces ?? [])
    .filter(({ name, state }) => state === 'absent' && !interfaces.some((nic) => nic.name === name))
    .map(({ name }) => name)
    .filter((name) => sourcesOf(vmi, name).includes('domain'));
}

/** Whether the pod has the network of an interface; virt-controller reads that from what Multus writes. */
function isAttached(vmi: VirtualMachineInstance, name: string): boolean {
  return sourcesOf(vmi, name).includes('multus-status');
}

function sourcesOf(vmi: VirtualMachineInstance, name: string): string[] {
  return vmi.status?.interfaces?.find((entry) => entry.name === name)?.infoSource?.split(', ') ?? [];
}
