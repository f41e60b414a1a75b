import { type ClusterConfig, kubevirtConfig } from '../../config.ts';
import { defaultVirtualMachineInstance } from '../../defaults/defaults.ts';
import type { VirtualMachineInstanceSpec } from '../../types.ts';
import { validateVirtualMachineInstance } from '../vmi.ts';

/** A cluster that gives guests a masquerade interface, as the chart configures it. */
export const config: ClusterConfig = kubevirtConfig({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { network: { defaultNetworkInterface: 'masquerade' } } },
});

/** Path of the devices, which is in most of the causes. */
export const D = 'spec.domain.devices';

type Domain = VirtualMachineInstanceSpec['domain'];
export const domain = (over: object = {}): Domain => ({ memory: { guest: '128Mi' }, devices: {}, ...over });
export const devices = (over: object) => ({ domain: domain({ devices: over }) });

/** A spec with one empty disk, shown as described. */
export const withDisk = (disk: object) => ({
  volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
  ...devices({ disks: [{ name: 'a', ...disk }] }),
});

/** A spec with one masquerade interface, with more about it and its network. */
export const withInterface = (nic: object, pod: object = {}) => ({
  networks: [{ name: 'n', pod }],
  ...devices({ interfaces: [{ name: 'n', masquerade: {}, ...nic }] }),
});

/** What is wrong with a new instance after defaulting, as `reason field`. */
export function causes(spec: object): string[] {
  const vmi = { metadata: { name: 'x' }, spec: { domain: domain(), ...spec } };
  const source = { uuid: () => '5e1f0000-0000-4000-8000-000000000001', now: () => '2026-01-01T00:00:00Z' };
  const found = validateVirtualMachineInstance(defaultVirtualMachineInstance(vmi, config, source), config, {
    operation: 'CREATE',
  });
  return found.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);
}
