import {
  type Condition,
  kubevirtConfig,
  memoryOverhead,
  type Pod,
  type PodGrowth,
  podGrowth,
  type VirtualMachineInstance,
} from '@yagura/api';
import { NOW, podOf, vmiOf } from '../testing/objects.ts';
import { grantedOverhead, growthOf, resizePatch, withGrowth, withOverhead } from './growth.ts';

const config = kubevirtConfig(undefined);
const cpus = (sockets: number) => ({ sockets, cores: 1, threads: 1 });

function instance(asked: number, has: number, phase: 'Running' | 'Scheduled' = 'Running'): VirtualMachineInstance {
  const vmi = vmiOf(phase);
  vmi.spec.domain.cpu = { ...cpus(asked), maxSockets: 4 };
  return { ...vmi, status: { ...vmi.status, currentCPUTopology: cpus(has) } };
}

test('a pod is looked at while its running guest lacks CPUs, or the kubelet has refused it something', () => {
  expect(growthOf(instance(2, 1), podOf('up'), config)?.kind).toBe('resize');
  expect(growthOf(instance(2, 2), podOf('up'), config)).toBeUndefined();
  expect(growthOf(instance(2, 1, 'Scheduled'), podOf('up'), config)).toBeUndefined();
  expect(growthOf(instance(2, 1), undefined, config)).toBeUndefined();
  expect(growthOf(instance(2, 1), podOf('terminating'), config)).toBeUndefined();
  const up = podOf('up');
  const pending = { type: 'PodResizePending', status: 'True' as const, reason: 'Infeasible' };
  const refused = { ...up, status: { ...up.status, conditions: [...(up.status?.conditions ?? []), pending] } };
  expect(growthOf(instance(1, 1), refused, config)?.kind).toBe('resize');
});

test('only CPU and memory of the compute container are asked for', () => {
  const growth = growthOf(instance(2, 1), podOf('up'), config);
  expect(resizePatch(growth)).toEqual({
    spec: {
      containers: [
        { name: 'compute', resources: { requests: { cpu: '200m', memory: expect.any(String) }, limits: {} } },
      ],
    },
  });
  expect(resizePatch({ kind: 'done' })).toBeUndefined();
});

const known = (reason: string): Condition[] => [{ type: 'HotVCPUChange', status: 'False', reason }];

test.each<[PodGrowth | undefined, Condition[], object | undefined]>([
  [{ kind: 'waiting', message: 'm' }, [], { status: 'True', reason: 'PodResizing', message: 'm' }],
  [{ kind: 'deferred', message: 'm' }, [], { status: 'True', reason: 'PodResizeDeferred', message: 'm' }],
  [{ kind: 'infeasible', message: 'm' }, [], { status: 'False', reason: 'PodResizeInfeasible', message: 'm' }],
  [{ kind: 'done' }, known('PodResizeInfeasible'), { status: 'True', reason: 'PodResized' }],
  // libvirt's failure is for virt-handler to take back.
  [{ kind: 'done' }, known('HotPlugFailed'), { status: 'False', reason: 'HotPlugFailed' }],
])('a guest that lacks CPUs, its pod %j', (growth, before, expected) => {
  expect(withGrowth(before, instance(2, 1), growth, undefined, NOW)).toMatchObject([
    { type: 'HotVCPUChange', ...expected },
  ]);
});

test('what the API server says of the resize is told, and all of it goes with the change', () => {
  const trouble = { reason: 'PodResizeRefused', message: 'exceeded quota' };
  const growth = growthOf(instance(2, 1), podOf('up'), config);
  const told = withGrowth([], instance(2, 1), growth, trouble, NOW);
  expect(told).toMatchObject([{ type: 'HotVCPUChange', status: 'False', ...trouble }]);
  expect(withGrowth(told, instance(2, 2), undefined, undefined, NOW)).toEqual([]);
});

/** A guest whose spec asks for so much memory, of which libvirt has been asked for so much. */
function withMemory(asked: string, requested: string): VirtualMachineInstance {
  const vmi = instance(1, 1);
  vmi.spec.domain.memory = { guest: asked, maxGuest: '4Gi' };
  return { ...vmi, status: { ...vmi.status, memory: { guestRequested: requested } } };
}

test('a pod grows for memory as for CPUs, each with its own condition', () => {
  const wants = withMemory('2Gi', '1Gi');
  const growth = growthOf(wants, podOf('up'), config);
  expect(resizePatch(growth)).toMatchObject({ spec: { containers: [{ name: 'compute' }] } });
  expect(withGrowth([], wants, growth, undefined, NOW)).toMatchObject([
    { type: 'HotMemoryChange', status: 'True', reason: 'PodResizing' },
  ]);
  expect(growthOf(withMemory('2Gi', '2Gi'), podOf('up'), config)).toBeUndefined();
  delete wants.spec.domain.memory?.maxGuest;
  expect(growthOf(wants, podOf('up'), config)).toBeUndefined();
});

test('that the guest has not taken its memory is virt-handler’s to tell, and to take back', () => {
  const waiting: Condition[] = [{ type: 'HotMemoryChange', status: 'True', reason: 'WaitingForGuest' }];
  expect(withGrowth(waiting, withMemory('2Gi', '2Gi'), undefined, undefined, NOW)).toEqual(waiting);
  const resized: Condition[] = [{ type: 'HotMemoryChange', status: 'True', reason: 'PodResized' }];
  expect(withGrowth(resized, withMemory('2Gi', '2Gi'), undefined, undefined, NOW)).toEqual([]);
});

test('the overhead rises with what the pod has been given, and never falls', () => {
  const pod = podOf('up');
  const larger = withMemory('2Gi', '2Gi');
  expect(grantedOverhead(larger, pod, config)).toBeUndefined();
  const growth = podGrowth(larger, pod, config);
  if (growth.kind !== 'resize') throw new Error('the pod is large enough already');
  const compute = { name: 'compute', resources: growth.resources };
  const grown = {
    ...pod,
    spec: { ...pod.spec, containers: [{ ...pod.spec.containers[0], ...compute }] },
    status: { ...pod.status, containerStatuses: [compute] },
  } as unknown as Pod;
  const granted = grantedOverhead(larger, grown, config);
  expect(granted).toBe(memoryOverhead(larger, config));
  expect(withOverhead({ memory: { memoryOverhead: '1000' } }, granted)).toEqual({
    memory: { memoryOverhead: String(granted) },
  });
  expect(withOverhead({ memory: { memoryOverhead: '100Gi' } }, granted)).toEqual({});
  expect(withOverhead({}, granted)).toEqual({});
});
