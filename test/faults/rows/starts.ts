import type { VirtualMachineInstance } from '@yagura/api';
import { tinySpec } from '../../e2e/support/machines.ts';
import type { Expected } from '../fault.ts';

/** A machine that does not start, and why. */
export interface FailedStart {
  name: string;
  expected: Expected;
  withinSeconds: number;
  spec: Partial<VirtualMachineInstance['spec']>;
}

const { domain, volumes = [] } = tinySpec();
const disks = [...(domain.devices?.disks ?? []), { name: 'data', disk: { bus: 'virtio' as const } }];

export const failedStarts: FailedStart[] = [
  {
    name: 'image missing',
    expected: { layer: 'kubernetes', signals: ['image-missing'] },
    withinSeconds: 30,
    spec: { volumes: [{ name: 'root', containerDisk: { image: 'localhost/yagura/no-such-image:dev' } }] },
  },
  {
    name: 'unschedulable',
    expected: { layer: 'kubernetes', signals: ['unschedulable'] },
    withinSeconds: 10,
    spec: { nodeSelector: { 'kubernetes.io/hostname': 'no-such-node' } },
  },
  {
    name: 'claim missing',
    expected: { layer: 'kubernetes', signals: ['pvc-missing'] },
    withinSeconds: 10,
    spec: {
      domain: { ...domain, devices: { ...domain.devices, disks } },
      volumes: [...volumes, { name: 'data', persistentVolumeClaim: { claimName: 'no-such-claim' } }],
    },
  },
];
