import {
  kubevirtConfig,
  type PersistentVolumeClaim,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@yagura/api';
import { type Change, Store } from '@yagura/kube';
import type { Registry } from '@yagura/runtime/metrics';
import { type ObjectCaches, registerObjectMetrics } from '../metrics/objects.ts';
import { createMetrics } from '../metrics/registry.ts';
import { vmiOf } from './objects.ts';

export const config = kubevirtConfig(undefined);

export function machine(change: Partial<VirtualMachine['spec']['template']['spec']> = {}): VirtualMachine {
  return {
    metadata: {
      name: 'demo',
      namespace: 'n',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'example.org/a': 'b' },
    },
    spec: {
      runStrategy: 'Always',
      template: {
        metadata: { annotations: { 'vm.kubevirt.io/os': 'debian' }, labels: { role: 'db' } },
        spec: { domain: { devices: {}, memory: { guest: '64Mi' }, machine: { type: 'q35' } }, ...change },
      },
    },
    status: {
      printableStatus: 'Running',
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:10Z' },
        { type: 'AgentConnected', status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' },
      ],
    },
  };
}

export const running: VirtualMachineInstance = {
  ...vmiOf('Running', { annotations: { 'vm.kubevirt.io/os': 'debian' } }),
  status: {
    ...vmiOf('Running').status,
    machine: { type: 'pc-q35-10.0' },
    memory: { memoryOverhead: '200Mi' },
    guestOSInfo: { name: 'Debian', versionId: '13', kernelRelease: '6.12', machine: 'x86_64' },
    interfaces: [
      { name: 'default', ipAddress: '10.244.0.7', interfaceName: 'eth0' },
      { interfaceName: 'lo0' },
      { mac: '02:00:00:00:00:01' },
    ],
  },
};

/** The metrics of a virt-controller that knows one machine and its instance. */
export function world(
  leading: boolean,
  more: VirtualMachine[] = [],
): {
  warned: object[];
  registry: Registry;
  changed: (change: Change<VirtualMachineInstance>) => void;
} {
  const handlers: ((change: Change<VirtualMachineInstance>) => void)[] = [];
  const vms = new Store<VirtualMachine>();
  const vmis = new Store<VirtualMachineInstance>();
  const caches = {
    vms: { store: vms },
    vmis: { store: vmis, onChange: (handler: (typeof handlers)[0]) => handlers.push(handler) },
    claims: { store: new Store<PersistentVolumeClaim>() },
    podsOf: () => [],
    config,
  } as unknown as ObjectCaches;
  for (const vm of [...more, machine()]) vms.upsert(vm);
  const warned: object[] = [];
  const log = { warn: (fields: object) => void warned.push(fields) };
  vmis.upsert(running);
  const metrics = createMetrics(['vm'], { leading: () => leading, ready: () => true, droppedEvents: () => 0 });
  registerObjectMetrics(metrics.registry, caches, () => leading, log as never);
  return {
    warned,
    registry: metrics.registry,
    changed: (change: Change<VirtualMachineInstance>) => handlers.forEach((handler) => handler(change)),
  };
}
