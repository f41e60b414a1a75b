import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { VirtualMachineInstance, VirtualMachineInstanceSpec, VirtualMachineInstanceStatus } from '@yagura/api';
import { type Domain, DomainSchema, DomainState } from '@yagura/contracts';

export const NOW = '2026-11-30T12:00:00Z';
export const UID = '7b2c82ed-e02e-4c6b-80e7-a0de84863af7';
export const MAC = '02:11:22:33:44:55';

/** An ordinary instance: one container disk, one masquerade interface. */
export function testVmi(
  status: Partial<VirtualMachineInstanceStatus> = {},
  spec: Partial<VirtualMachineInstanceSpec> = {},
  metadata: object = {},
): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'demo', namespace: 'default', uid: UID, ...metadata },
    spec: {
      domain: {
        devices: {
          disks: [{ name: 'root', disk: { bus: 'virtio' } }],
          interfaces: [{ name: 'default', masquerade: {} }],
        },
      },
      networks: [{ name: 'default', pod: {} }],
      volumes: [{ name: 'root', containerDisk: { image: 'x' } }],
      ...spec,
    },
    status: { phase: 'Scheduled', nodeName: 'node-a', volumeStatus: [{ name: 'root', target: '' }], ...status },
  };
}

export function testDomain(part: MessageInitShape<typeof DomainSchema> = {}): Domain {
  return create(DomainSchema, {
    vmiUid: UID,
    state: DomainState.RUNNING,
    stateReason: 'booted',
    machineType: 'pc-q35-10.0',
    interfaces: [{ name: 'default', macAddress: MAC, linkState: 'up', queues: 1 }],
    disks: [{ name: 'root', target: 'vda', bus: 'virtio' }],
    ...part,
  });
}
