import { kubevirtConfig, type Pod, type Volume } from '@yagura/api';
import { RpcError, Status } from '@yagura/contracts';
import { InFlight } from '../system/in-flight.ts';
import { Hotplug } from './hotplug.ts';
import type { Target } from './target.ts';
import { testDomain, testVmi } from './testing.ts';

const extra: Volume = { name: 'extra', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } };
const running = (name: string, uid: string): Pod =>
  ({
    metadata: { name, uid },
    spec: {
      containers: [{ name: 'compute' }],
      volumes: [{ name: 'extra', persistentVolumeClaim: { claimName: 'c' } }],
    },
    status: { containerStatuses: [{ name: 'compute', containerID: 'containerd://a', state: { running: {} } }] },
  }) as unknown as Pod;

/** A running guest that is to get one volume, from a launcher that answers in its own way. */
function world(answer: () => Promise<object>, volume = extra) {
  let attachments = [running('hp', 'hp-1')];
  let calls = 0;
  const mounted: object[] = [];
  const mounts = { ensure: async (one: object) => void mounted.push(one), release: async () => {} } as never;
  const hotplug = new Hotplug({
    attachments: { store: { byIndex: () => attachments } } as never,
    processes: { find: async () => 7 },
    mounts,
    config: () => kubevirtConfig(undefined),
  });
  const vmi = testVmi(
    { phase: 'Running', volumeStatus: [{ name: 'extra', target: '', hotplugVolume: { attachPodName: 'hp' } }] },
    { volumes: [volume], domain: { devices: { disks: [{ name: 'extra', disk: { bus: 'scsi' } }] } } },
  );
  const syncVolumes = async () => {
    calls += 1;
    return answer();
  };
  const target = {
    vmi,
    pod: running('launcher', 'p'),
    link: { domain: testDomain({ disks: [] }), take: () => {}, calls: { syncVolumes } },
    memory: { calls: new InFlight() },
  } as unknown as Target;
  const detach = () => (attachments = []);
  return { sync: async () => hotplug.sync(target), detach, calls: () => calls, mounted };
}

test.each([
  ['that is older says so of the volume', Status.UNIMPLEMENTED, 'restart the guest'],
  ['that fails is a problem of the volume', Status.INTERNAL, 'no such luck'],
])('a launcher %s', async (_, code, message) => {
  const { sync } = world(async () => Promise.reject(new RpcError(code, 'no such luck')));
  const result = await sync();
  expect(result?.phases.get('extra')).toMatchObject({ reason: 'HotplugFailed' });
  expect(result?.phases.get('extra')?.message).toContain(message);
  expect(result?.retryMs).toBe(3_000);
});

test.each([true, false])('a claim with readOnly %s is mounted so', async (readOnly) => {
  const claim = { claimName: 'c', hotpluggable: true, readOnly };
  const { sync, mounted } = world(async () => ({}), { name: 'extra', persistentVolumeClaim: claim });
  await sync();
  expect(mounted).toEqual([expect.objectContaining({ volume: 'extra', readOnly })]);
});

test('a guest that is just ending, or a launcher that comes back, is no problem of the volume', async () => {
  const { sync } = world(async () => Promise.reject(new RpcError(Status.FAILED_PRECONDITION, 'no domain is running')));
  const result = await sync();
  expect(result?.phases.get('extra')).toMatchObject({ phase: 'MountedToPod', reason: 'VolumeMountedToPod' });
  expect(result?.retryMs).toBe(1_000);
});

test('of a volume whose attachment pod has gone nothing is told, whatever was wrong before', async () => {
  const { sync, detach, calls } = world(async () => ({ problems: [{ volume: 'extra', message: 'too small' }] }));
  expect((await sync())?.phases.get('extra')).toMatchObject({ reason: 'HotplugFailed', message: 'too small' });
  detach();
  expect((await sync())?.phases.size).toBe(0);
  expect(calls()).toBe(1);
});
