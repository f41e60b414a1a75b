import type { ContainerStatus, Pod, RunStrategy, VirtualMachine, VirtualMachineInstance, VmiPhase } from '@yagura/api';

export const NOW = '2026-01-01T00:00:00Z';
export const NOW_MS = Date.parse(NOW);

/** An instance as it is stored; the phase is its status so far. */
export function vmiOf(
  phase: VmiPhase | undefined,
  changes: Partial<VirtualMachineInstance['metadata']> = {},
): VirtualMachineInstance {
  const onNode = phase === 'Scheduled' || phase === 'Running';
  return {
    metadata: {
      name: 'demo',
      namespace: 'n',
      uid: 'vmi-uid',
      resourceVersion: '1',
      finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'kubevirt.io/foregroundDeleteVirtualMachine'],
      ...changes,
    },
    spec: {
      domain: { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] }, memory: { guest: '64Mi' } },
      volumes: [{ name: 'root', containerDisk: { image: 'example.org/guest:1' } }],
    },
    ...(phase
      ? {
          status: {
            phase,
            phaseTransitionTimestamps: [{ phase, phaseTransitionTimestamp: NOW }],
            ...(onNode ? { nodeName: 'node-1', activePods: { 'pod-uid': 'node-1' } } : {}),
          },
        }
      : {}),
  };
}

export type PodState =
  | 'pending'
  | 'unschedulable'
  | 'pulling'
  | 'pull-failed'
  | 'starting'
  | 'up'
  | 'refused'
  | 'evicted-early'
  | 'failed'
  | 'succeeded'
  | 'terminating';

const waiting = (name: string, reason: string, message?: string): ContainerStatus => ({
  name,
  ready: false,
  restartCount: 0,
  image: 'example.org/guest:1',
  imageID: '',
  state: { waiting: { reason, ...(message ? { message } : {}) } },
});
const running = (name: string, ready = true): ContainerStatus => ({
  name,
  ready,
  restartCount: 0,
  image: '',
  imageID: '',
  containerID: `containerd://${name}`,
  state: { running: { startedAt: NOW } },
});
const ended = (name: string, exitCode: number): ContainerStatus => ({
  ...running(name, false),
  state: { terminated: { exitCode, startedAt: NOW } },
});

const STATUSES: Record<PodState, NonNullable<Pod['status']>> = {
  pending: { phase: 'Pending' },
  unschedulable: {
    phase: 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/2 nodes are available' },
    ],
  },
  pulling: {
    phase: 'Pending',
    containerStatuses: [waiting('compute', 'ContainerCreating'), waiting('volumeroot', 'ContainerCreating')],
  },
  'pull-failed': {
    phase: 'Pending',
    containerStatuses: [running('compute'), waiting('volumeroot', 'ErrImagePull', 'not found')],
  },
  starting: {
    phase: 'Running',
    containerStatuses: [running('compute', false), waiting('volumeroot', 'ContainerCreating')],
  },
  up: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [running('compute', false), running('volumeroot')],
  },
  refused: { phase: 'Failed', reason: 'UnexpectedAdmissionError', message: 'no healthy devices' },
  'evicted-early': { phase: 'Failed', reason: 'Evicted', containerStatuses: [waiting('compute', 'ContainerCreating')] },
  failed: { phase: 'Failed', containerStatuses: [ended('compute', 2), ended('volumeroot', 0)] },
  succeeded: { phase: 'Succeeded', containerStatuses: [ended('compute', 0), ended('volumeroot', 0)] },
  terminating: { phase: 'Running', containerStatuses: [running('compute'), running('volumeroot')] },
};

export function podOf(state: PodState, changes: Partial<Pod['metadata']> = {}): Pod {
  const bound = !['pending', 'unschedulable'].includes(state);
  return {
    metadata: {
      name: 'virt-launcher-demo-aaaaa',
      namespace: 'n',
      uid: 'pod-uid',
      resourceVersion: '1',
      creationTimestamp: NOW,
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstance',
          name: 'demo',
          uid: 'vmi-uid',
          controller: true,
        },
      ],
      annotations: { 'kubevirt.io/migrationTransportUnix': 'true', 'kubevirt.io/memory-overhead-bytes': '1000' },
      ...(state === 'terminating' ? { deletionTimestamp: NOW } : {}),
      ...changes,
    },
    spec: {
      containers: [{ name: 'compute', image: 'launcher:1' }, { name: 'volumeroot' }],
      ...(bound ? { nodeName: 'node-1' } : {}),
    },
    status: { qosClass: 'Burstable', ...STATUSES[state] },
  };
}

export function vmOf(runStrategy: RunStrategy, status: VirtualMachine['status'] = {}): VirtualMachine {
  return {
    metadata: {
      name: 'demo',
      namespace: 'n',
      uid: 'vm-uid',
      resourceVersion: '1',
      generation: 3,
      finalizers: ['kubevirt.io/virtualMachineControllerFinalize'],
    },
    spec: { runStrategy, template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
    status,
  };
}
