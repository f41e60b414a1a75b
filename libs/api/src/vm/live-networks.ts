import { jsonPatch } from '../json-patch.ts';
import { isPrimaryNetwork } from '../networks.ts';
import type { Interface, Network, VirtualMachineInstance, VirtualMachineInstanceSpec } from '../types.ts';

/**
 * Whether a running instance can be given the networks and interfaces of a template: bridged interfaces on Multus networks
 * come, links go up and down, and what is absent and gone from the guest may leave the spec. Everything else waits for a
 * restart, and then so do these.
 * @param template with its defaults
 */
export function networksFollow(vmi: VirtualMachineInstance, template: VirtualMachineInstanceSpec): boolean {
  const before = machineNetworks(vmi.spec);
  const after = machineNetworks(template);
  const hotplug = !template.domain.devices.disableHotplug;
  const kept = [...before].every(([name, old]) => {
    const next = after.get(name);
    return next ? isSame(old, next) : isGone(vmi, old.nic);
  });
  return kept && [...after].every(([name, next]) => before.has(name) || (hotplug && canBePlugged(next)));
}

interface MachineNetwork {
  nic: Interface;
  network: Network | undefined;
}

function machineNetworks({ domain, networks }: VirtualMachineInstanceSpec): Map<string, MachineNetwork> {
  return new Map(
    (domain.devices.interfaces ?? []).map((nic) => [
      nic.name,
      { nic, network: networks?.find(({ name }) => name === nic.name) },
    ]),
  );
}

/** But for the state of the link. */
function isSame(before: MachineNetwork, after: MachineNetwork): boolean {
  const fixed = ({ nic: { state: _, ...nic }, network }: MachineNetwork) => ({ nic, network });
  return jsonPatch(fixed(before), fixed(after)).length === 0;
}

function isGone(vmi: VirtualMachineInstance, { name, state }: Interface): boolean {
  const entry = vmi.status?.interfaces?.find((status) => status.name === name);
  return state === 'absent' && !entry?.infoSource?.includes('domain');
}

function canBePlugged({ nic, network }: MachineNetwork): boolean {
  return nic.bridge !== undefined && network?.multus !== undefined && !isPrimaryNetwork(network);
}
