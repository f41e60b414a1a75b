import type { Volume, VolumeStatus } from '@yagura/api';
import { hotplugWork, phaseChanges, volumePhases, withVolumePhases } from './hotplug-status.ts';
import { testDomain, testVmi } from './testing.ts';

const extra: Volume = { name: 'extra', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } };
const disks = { disks: [{ name: 'extra', disk: { bus: 'scsi' as const } }] };
const status = (phase: string | undefined): VolumeStatus => ({
  name: 'extra',
  target: '',
  ...(phase ? { phase } : {}),
  hotplugVolume: { attachPodName: 'hp' },
});
const vmi = (phase: string | undefined, volumes: Volume[]) =>
  testVmi({ volumeStatus: [status(phase)] }, { volumes, domain: { devices: disks } });
const without = testDomain({ disks: [] });
const withDisk = testDomain({ disks: [{ name: 'extra', target: 'sda', bus: 'scsi', source: '/x' }] });

test.each([
  ['is to come', vmi(undefined, [extra]), without, { plugIn: ['extra'], takeOut: [] }],
  ['is there', vmi('Ready', [extra]), withDisk, undefined],
  ['was lost with a restart of the guest', vmi('Ready', [extra]), without, { plugIn: ['extra'], takeOut: [] }],
  ['is to go', vmi('Ready', []), withDisk, { plugIn: [], takeOut: ['extra'] }],
  ['is out of the guest, not of the pod', vmi('Detaching', []), without, { plugIn: [], takeOut: ['extra'] }],
  ['is gone', vmi('UnMountedFromPod', []), without, undefined],
])('a volume that %s', (_, instance, domain, work) => {
  expect(hotplugWork(instance, domain)).toEqual(work);
});

const plugIn = { plugIn: ['extra'], takeOut: [] };
const takeOut = { plugIn: [], takeOut: ['extra'] };
const mounted = new Map([['extra', '/p']]);
const none = new Map<string, string>();
const problem = new Map([['extra', 'no']]);

test.each([
  [plugIn, without, none, [], none, undefined],
  [plugIn, without, none, [], problem, ['AttachedToNode', 'HotplugFailed']],
  [plugIn, without, mounted, [], none, ['MountedToPod', 'VolumeMountedToPod']],
  [plugIn, without, mounted, [], problem, ['MountedToPod', 'HotplugFailed']],
  [plugIn, withDisk, mounted, [], problem, ['Ready', 'VolumeReady']],
  [takeOut, withDisk, none, [], problem, ['Detaching', 'HotplugFailed']],
  [takeOut, without, none, ['extra'], none, ['UnMountedFromPod', 'VolumeUnMountedFromPod']],
])('%j is told by its phase', (work, domain, paths, released, problems, expected) => {
  const phase = volumePhases({ work, domain, mounted: paths, released, problems }).get('extra');
  expect(phase && [phase.phase, phase.reason]).toEqual(expected);
});

test('a phase is an event once, and what left the pod has no device', () => {
  const before = vmi('Detaching', []);
  const phases = volumePhases({ work: takeOut, domain: without, mounted: none, released: ['extra'], problems: none });
  const after = { ...before, status: withVolumePhases(phases, before.status ?? {}) };
  expect(after.status.volumeStatus?.[0]).toMatchObject({ phase: 'UnMountedFromPod', target: '' });
  expect(phaseChanges(before, after, phases).map(({ reason }) => reason)).toEqual(['VolumeUnMountedFromPod']);
  expect(phaseChanges(after, after, phases)).toEqual([]);
});
