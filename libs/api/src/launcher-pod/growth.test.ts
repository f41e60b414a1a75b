import { kubevirtConfig } from '../config.ts';
import type { Pod, ResourceRequirements } from '../kubernetes.ts';
import type { VirtualMachineInstance } from '../types.ts';
import { podGrowth } from './growth.ts';
import { computeResources } from './resources.ts';

const config = kubevirtConfig(undefined);
const vmiOf = (sockets: number, limits?: Record<string, string>): VirtualMachineInstance => ({
  metadata: { name: 'demo', namespace: 'n', uid: 'u' },
  spec: {
    domain: {
      devices: {},
      memory: { guest: '128Mi' },
      cpu: { sockets, maxSockets: 4 },
      ...(limits ? { resources: { requests: limits, limits } } : {}),
    },
  },
});
const small = computeResources(vmiOf(1), config);
const large = computeResources(vmiOf(2), config);
const huge = computeResources(vmiOf(4), config);

type Told = { reason: string; message: string; observedGeneration?: number };

/** A pod whose spec asks for `asked`, and whose runtime was told of `granted`. */
function podOf(asked: ResourceRequirements, granted: ResourceRequirements | undefined, told?: Told): Pod {
  return {
    metadata: { name: 'p', generation: 2 },
    spec: { containers: [{ name: 'volumeroot' }, { name: 'compute', resources: asked }] },
    status: {
      containerStatuses: [{ name: 'compute', ...(granted ? { resources: granted } : {}) }] as never,
      conditions: told ? [{ type: 'PodResizePending', status: 'True', ...told }] : [],
    },
  };
}
const cpuAndMemory = ({ requests = {}, limits = {} }: ResourceRequirements) => ({
  requests: { cpu: requests['cpu'], memory: requests['memory'] },
  limits: Object.fromEntries(Object.entries(limits).filter(([name]) => ['cpu', 'memory'].includes(name))),
});
const infeasible = { reason: 'Infeasible', message: 'not enough capacity: cpu' };

test.each<[string, VirtualMachineInstance, Pod, object]>([
  ['a pod as large as it must be', vmiOf(2), podOf(large, large), { kind: 'done' }],
  ['a pod that is larger', vmiOf(1), podOf(large, large), { kind: 'done' }],
  ['one that is too small', vmiOf(2), podOf(small, small), { kind: 'resize', resources: cpuAndMemory(large) }],
  ['one that the kubelet is at', vmiOf(2), podOf(large, small), { kind: 'waiting' }],
  ['one of which the kubelet says nothing', vmiOf(2), podOf(large, undefined), { kind: 'waiting' }],
  [
    'one that cannot become so large',
    vmiOf(2),
    podOf(large, small, infeasible),
    { kind: 'infeasible', message: infeasible.message },
  ],
  [
    'one that has to wait for room',
    vmiOf(2),
    podOf(large, small, { reason: 'Deferred', message: 'no room' }),
    { kind: 'deferred', message: 'no room' },
  ],
  [
    'an old word of the kubelet',
    vmiOf(2),
    podOf(large, small, { ...infeasible, observedGeneration: 1 }),
    { kind: 'waiting' },
  ],
  [
    'what was refused and is wanted no more',
    vmiOf(2),
    podOf(huge, small, infeasible),
    { kind: 'resize', resources: cpuAndMemory(large) },
  ],
  [
    'a refused size that is given up',
    vmiOf(1),
    podOf(huge, small, infeasible),
    { kind: 'resize', resources: cpuAndMemory(small) },
  ],
  [
    'limits, which grow as well',
    vmiOf(2, { cpu: '2', memory: '128Mi' }),
    podOf(
      computeResources(vmiOf(1, { cpu: '1', memory: '128Mi' }), config),
      computeResources(vmiOf(1, { cpu: '1', memory: '128Mi' }), config),
    ),
    { kind: 'resize', resources: cpuAndMemory(computeResources(vmiOf(2, { cpu: '2', memory: '128Mi' }), config)) },
  ],
])('%s', (_what, vmi, pod, expected) => {
  expect(podGrowth(vmi, pod, config)).toMatchObject(expected);
});
