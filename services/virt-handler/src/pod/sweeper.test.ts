import type { Pod } from '@yagura/api';
import { PodPaths } from './paths.ts';
import { Sweeper } from './sweeper.ts';

const owner = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  name: 'demo',
  uid: 'v',
  controller: true,
};
const pod = (uid: string, status: object = { phase: 'Running' }) =>
  ({ metadata: { name: uid, uid, ownerReferences: [owner] }, spec: { containers: [] }, status }) as Pod;
const ended = { phase: 'Running', containerStatuses: [{ name: 'compute', state: { terminated: { exitCode: 0 } } }] };

function sweeping(pods: Pod[], hasSynced = true) {
  const dropped: string[] = [];
  let unmounted: (uid: string) => boolean = () => false;
  let unlinked: (target: string) => boolean = () => false;
  let rounds = 0;
  const paths = new PodPaths('/pods', '/var/lib/kubelet/pods');
  const sweeper = new Sweeper({
    pods: { store: { list: () => pods } as never, hasSynced },
    launchers: { podUids: () => ['a', 'b', 'gone'], drop: (uid: string) => dropped.push(uid) } as never,
    images: {
      unmountWhere: async (isOver: typeof unmounted) => {
        rounds += 1;
        unmounted = isOver;
      },
    } as never,
    links: { removeWhere: async (isOver: typeof unlinked) => void (unlinked = isOver) } as never,
    paths,
    processes: { find: async () => undefined },
  });
  return {
    sweeper,
    dropped,
    paths,
    rounds: () => rounds,
    isOver: (uid: string) => unmounted(uid),
    isStale: (target: string) => unlinked(target),
  };
}

test('what belongs to a pod that has ended or is not there goes, what belongs to a living one stays', async () => {
  const it = sweeping([pod('a'), pod('b', ended), pod('c', { phase: 'Failed' })]);
  await it.sweeper.sweep();
  expect(it.dropped).toEqual(['b', 'gone']);
  expect(['a', 'b', 'c', 'gone'].map(it.isOver)).toEqual([false, true, true, true]);
  expect(it.isStale(it.paths.hostLauncherSocket('a'))).toBe(false);
  expect(it.isStale(it.paths.hostLauncherSocket('b'))).toBe(true);
});

test('a launcher that was told to go loses its disks although its pod lives', async () => {
  const it = sweeping([pod('a')]);
  it.sweeper.dismiss('a');
  await it.sweeper.sweep();
  expect(it.isOver('a')).toBe(true);
  expect(it.dropped).not.toContain('a');
});

test('a pod that only looks like a launcher keeps nothing', async () => {
  const forged = pod('a');
  forged.metadata = { name: 'a', uid: 'a', labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': 'v' } };
  const it = sweeping([forged]);
  await it.sweeper.sweep();
  expect(it.isOver('a')).toBe(true);
  expect(it.isStale(it.paths.hostLauncherSocket('a'))).toBe(true);
});

test('before the first list nothing is taken for gone', async () => {
  const it = sweeping([], false);
  await it.sweeper.sweep();
  expect(it.dropped).toEqual([]);
  expect(it.rounds()).toBe(0);
});

test('calls during a sweep lead to one more', async () => {
  const it = sweeping([pod('a')]);
  await Promise.all([it.sweeper.sweep(), it.sweeper.sweep(), it.sweeper.sweep()]);
  expect(it.rounds()).toBe(2);
});
