import type { VirtualMachineInstance, VolumeStatus } from '@yagura/api';
import { get, kubectl, list, nodeExec, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { enableHostDisk } from './support/feature-gates.ts';
import { inGuest } from './support/guest-shell.ts';
import {
  apply,
  condition,
  type EventObject,
  eventsOf,
  freshNamespace,
  getVm,
  getVmi,
  launcherPod,
  type PodObject,
  tinyImage,
  tinySpec,
  tinyVm,
  tinyVmi,
  untilAgent,
  untilPhase,
} from './support/machines.ts';

const ns = 'e2e-volumes';
const MIB = 2 ** 20;
const hostDirectory = '/var/lib/yagura-e2e-host-disk';

type Spec = VirtualMachineInstance['spec'];

const claim = (name: string, size: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: ns, name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...more },
});
const put = (resource: string, name: string, verb: string, body: object) =>
  tryKubectl(
    body,
    'replace',
    '--raw',
    `/apis/subresources.kubevirt.io/v1/namespaces/${ns}/${resource}/${name}/${verb}`,
    '-f',
    '-',
  );
const volume = (vmi: VirtualMachineInstance | undefined, name: string): VolumeStatus | undefined =>
  vmi?.status?.volumeStatus?.find((status) => status.name === name);

/** Device in the guest of a disk of so many bytes; each disk of a test has a size of its own. */
const deviceOf = async (pod: PodObject, bytes: number): Promise<string> => {
  const look = `for d in /sys/block/*; do [ "$(cat $d/size)" = ${bytes / 512} ] && echo /dev/\${d##*/}; done; true`;
  return eventually(`a disk of ${bytes} bytes in the guest`, 30_000, async () => {
    const found = (await inGuest(pod, look)).trim();
    return found !== '' && found.split('\n').length === 1 && found;
  });
};
const write = async (pod: PodObject, bytes: number, text: string) => {
  const device = await deviceOf(pod, bytes);
  await inGuest(pod, `printf %s ${text} | dd of=${device} conv=fsync 2>/dev/null`);
};
const read = async (pod: PodObject, bytes: number, length: number): Promise<string> => {
  const device = await deviceOf(pod, bytes);
  // Past the guest's own cache, which could hold what never reached the disk.
  return inGuest(pod, `echo 3 >/proc/sys/vm/drop_caches; dd if=${device} bs=${length} count=1 2>/dev/null`);
};
const mounted = (pod: PodObject, label: string, command: string) =>
  inGuest(
    pod,
    `mkdir -p /mnt/${label} && d=$(findfs LABEL=${label}) && mount -r -t iso9660 $d /mnt/${label} && cd /mnt/${label} && ${command}; s=$?; cd /; umount /mnt/${label}; exit $s`,
  );

async function untilRunningAgain(name: string): Promise<{ vmi: VirtualMachineInstance; pod: PodObject }> {
  const vmi = await untilAgent(ns, name, 170_000);
  return { vmi, pod: await launcherPod(vmi) };
}

beforeAll(async () => {
  await freshNamespace(ns);
  await kubectl('label', 'namespace', ns, 'pod-security.kubernetes.io/enforce=privileged', '--overwrite');
  await enableHostDisk();
}, 150_000);

afterAll(async () => {
  const pods = await list<PodObject>('pods', '-n', ns);
  const nodes = new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []));
  await kubectl('delete', 'namespace', ns, '--wait=false');
  for (const node of nodes) await nodeExec(node, 'rm', '-rf', hostDirectory);
}, 60_000);

describe('a machine with a volume of every kind', () => {
  const start = async () => {
    const { code, stderr } = await put('virtualmachines', 'all', 'start', {});
    expect([code, stderr]).toEqual([0, '']);
  };
  let pod: PodObject;
  let vmi: VirtualMachineInstance;

  const kinds: [name: string, disk: object, source: object][] = [
    ['root', { disk: { bus: 'virtio' } }, { containerDisk: { image: tinyImage } }],
    ['files', { disk: { bus: 'virtio' }, serial: 'FILES1' }, { persistentVolumeClaim: { claimName: 'files' } }],
    [
      'blocks',
      { disk: { bus: 'scsi' }, blockSize: { matchVolume: {} } },
      { persistentVolumeClaim: { claimName: 'blocks' } },
    ],
    ['shared', { disk: { bus: 'sata' }, shareable: true }, { persistentVolumeClaim: { claimName: 'shared' } }],
    [
      'host',
      { disk: { bus: 'virtio' }, dedicatedIOThread: true },
      { hostDisk: { path: `${hostDirectory}/disk.img`, type: 'DiskOrCreate', capacity: '19Mi' } },
    ],
    ['blank', { disk: { bus: 'scsi' }, errorPolicy: 'report' }, { emptyDisk: { capacity: '23Mi' } }],
    ['config', { cdrom: { bus: 'sata' } }, { configMap: { name: 'settings', volumeLabel: 'settings' } }],
    ['keys', { disk: { bus: 'scsi' } }, { secret: { secretName: 'keys', volumeLabel: 'keys' } }],
    ['absent', { disk: { bus: 'scsi' } }, { configMap: { name: 'nowhere', optional: true, volumeLabel: 'absent' } }],
    [
      'about',
      { disk: { bus: 'scsi' } },
      {
        downwardAPI: { volumeLabel: 'about', fields: [{ path: 'in/name', fieldRef: { fieldPath: 'metadata.name' } }] },
      },
    ],
    ['account', { disk: { bus: 'scsi' } }, { serviceAccount: { serviceAccountName: 'robot' } }],
    ['answers', { cdrom: { bus: 'scsi' } }, { sysprep: { configMap: { name: 'settings' } } }],
    ['seed', { cdrom: { bus: 'sata' } }, { cloudInitConfigDrive: { secretRef: { name: 'user' }, networkData: 'net' } }],
    ['drive', { cdrom: { bus: 'sata' } }, {}],
  ];
  const spec = (base: object): Spec => ({
    ...tinySpec(),
    domain: {
      memory: { guest: '128Mi' },
      devices: {
        disks: [...kinds.map(([name, disk]) => ({ name, ...disk })), { name: 'base', disk: { bus: 'virtio' } }],
        interfaces: [{ name: 'default', masquerade: {} }],
      },
    },
    volumes: [
      ...kinds
        .filter(([, , source]) => Object.keys(source).length > 0)
        .map(([name, , source]) => ({ name, ...source })),
      { name: 'base', ...base },
    ],
  });

  beforeAll(async () => {
    await apply({ ...claim('files', '31Mi') });
    await apply(claim('base', '37Mi'));
    await apply(claim('blocks', '41Mi', { volumeMode: 'Block' }));
    await apply(claim('shared', '43Mi', { accessModes: ['ReadWriteMany'], storageClassName: 'shared' }));
    const metadata = (name: string) => ({ namespace: ns, name });
    await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('robot') });
    await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('settings'), data: { 'a.txt': 'setting' } });
    await apply({ apiVersion: 'v1', kind: 'Secret', metadata: metadata('keys'), stringData: { key: 'hidden' } });
    await apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('user'),
      stringData: { userdata: '#! /bin/true' },
    });
    await apply(tinyVm(ns, 'all', 'Manual', spec({ persistentVolumeClaim: { claimName: 'base' } })));
    await start();
    ({ vmi, pod } = await untilRunningAgain('all'));
  }, 240_000);

  test('its disks can be written, each with the size that was asked for', async () => {
    for (const [mebibytes, text] of [
      [31, 'files'],
      [37, 'base'],
      [41, 'blocks'],
      [43, 'shared'],
      [19, 'host'],
      [23, 'blank'],
    ] as const) {
      await write(pod, mebibytes * MIB, text);
      expect(await read(pod, mebibytes * MIB, text.length)).toBe(text);
    }
    expect((await inGuest(pod, 'cat /sys/block/vdb/serial')).trim()).toBe('FILES1');
  }, 120_000);

  test('its CDs hold the files of objects', async () => {
    expect(await mounted(pod, 'settings', 'cat a.txt')).toBe('setting');
    expect(await mounted(pod, 'keys', 'cat key')).toBe('hidden');
    expect(await mounted(pod, 'absent', 'ls')).toBe('');
    expect(await mounted(pod, 'about', 'cat in/name')).toBe(pod.metadata.name);
    expect(await mounted(pod, 'cfgdata', 'cat namespace; ls')).toMatch(/^e2e-volumesca.crt\s+namespace\s+token\s*$/);
    expect(await mounted(pod, 'unattendCDRom', 'cat a.txt')).toBe('setting');
    expect(await mounted(pod, 'config-2', 'cd openstack/latest; cat user_data network_data.json')).toBe(
      '#! /bin/truenet',
    );
  }, 60_000);

  test('its status tells the claims, the devices and the sizes of what was generated', () => {
    expect(volume(vmi, 'blocks')).toMatchObject({
      target: expect.stringMatching(/^sd/),
      persistentVolumeClaimInfo: { claimName: 'blocks', volumeMode: 'Block', accessModes: ['ReadWriteOnce'] },
    });
    expect(volume(vmi, 'files')?.persistentVolumeClaimInfo?.capacity).toEqual({ storage: '31Mi' });
    expect(volume(vmi, 'config')?.size).toBeGreaterThan(0);
    expect(volume(vmi, 'files')).not.toHaveProperty('phase');
  });

  test('claims keep what was written over a restart; an overlay on a claim keeps nothing', async () => {
    await put('virtualmachines', 'all', 'stop', {});
    await eventually('the instance is gone', 90_000, async () => (await getVmi(ns, 'all')) === undefined);
    const ephemeral = spec({ ephemeral: { persistentVolumeClaim: { claimName: 'base' } } });
    await kubectl(
      '-n',
      ns,
      'patch',
      'vm',
      'all',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { template: { spec: ephemeral } } }),
    );
    await start();
    ({ vmi, pod } = await untilRunningAgain('all'));
    expect(await read(pod, 31 * MIB, 5)).toBe('files');
    expect(await read(pod, 41 * MIB, 6)).toBe('blocks');
    expect(await read(pod, 19 * MIB, 4)).toBe('host');
    expect(await read(pod, 37 * MIB, 4)).toBe('base');
    expect(await read(pod, 23 * MIB, 5)).not.toBe('blank');
    await write(pod, 37 * MIB, 'gone');
    expect(await read(pod, 37 * MIB, 4)).toBe('gone');
  }, 300_000);

  const untilReady = (name: string) =>
    eventually(`volume ${name} is Ready`, 100_000, async () => {
      const status = volume(await getVmi(ns, 'all'), name);
      if (status?.phase === 'Ready') return status;
      throw new Error(JSON.stringify(status));
    });
  const untilGone = (name: string) =>
    eventually(`volume ${name} is gone`, 100_000, async () => {
      const status = volume(await getVmi(ns, 'all'), name);
      if (status === undefined) return true;
      throw new Error(JSON.stringify(status));
    });
  const attachmentPods = () => list<PodObject>('pods', '-n', ns, '-l', 'kubevirt.io=hotplug-disk');
  const add = (name: string, disk: object) => ({
    name,
    disk,
    volumeSource: { persistentVolumeClaim: { claimName: name } },
  });

  test('a volume is plugged into the running machine, and belongs to it from then on', async () => {
    await apply(claim('extra', '29Mi'));
    const { code, stderr } = await put('virtualmachines', 'all', 'addvolume', add('extra', { disk: { bus: 'scsi' } }));
    expect([code, stderr]).toEqual([0, '']);
    expect(await untilReady('extra')).toMatchObject({
      target: expect.stringMatching(/^sd/),
      reason: 'VolumeReady',
      hotplugVolume: { attachPodName: expect.stringMatching(/^hp-volume-/) },
    });
    await write(pod, 29 * MIB, 'extra');
    const vm = await getVm(ns, 'all');
    expect(vm?.spec.template.spec.volumes).toContainEqual({
      name: 'extra',
      persistentVolumeClaim: { claimName: 'extra', hotpluggable: true },
    });
    expect(vm?.status).not.toHaveProperty('volumeRequests');
    expect(condition(vm, 'RestartRequired')).toBeUndefined();
    const reasons = (await eventsOf(ns, 'all')).map(({ reason }: EventObject) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['VolumeReady']));
    expect((await put('virtualmachines', 'all', 'addvolume', add('extra', { disk: {} }))).stderr).toContain(
      'already exists',
    );
  }, 150_000);

  test('a volume of the instance alone comes on virtio too, and goes again', async () => {
    await apply(claim('short', '17Mi'));
    await put('virtualmachineinstances', 'all', 'addvolume', add('short', { disk: { bus: 'virtio' } }));
    await untilReady('short');
    await write(pod, 17 * MIB, 'short');
    expect((await getVm(ns, 'all'))?.spec.template.spec.volumes?.map(({ name }) => name)).not.toContain('short');
    await put('virtualmachineinstances', 'all', 'removevolume', { name: 'short' });
    await untilGone('short');
  }, 120_000);

  test('a block device is plugged in where the node lets its control groups be changed, and refused by name elsewhere', async () => {
    await apply(claim('raw', '47Mi', { volumeMode: 'Block' }));
    await put('virtualmachineinstances', 'all', 'addvolume', add('raw', { disk: { bus: 'scsi' } }));
    const settled = await eventually('the block volume is Ready or refused', 60_000, async () => {
      const status = volume(await getVmi(ns, 'all'), 'raw');
      if (status?.phase === 'Ready' || status?.reason === 'HotplugFailed') return status;
      throw new Error(JSON.stringify(status));
    });
    if (settled.phase === 'Ready') await write(pod, 47 * MIB, 'raw');
    else expect(settled.message).toContain('control groups version 2');
    await put('virtualmachineinstances', 'all', 'removevolume', { name: 'raw' });
    await untilGone('raw');
  }, 120_000);

  test('a plugged volume is taken out: of the guest, of the pod, of the machine', async () => {
    await put('virtualmachines', 'all', 'removevolume', { name: 'extra' });
    await untilGone('extra');
    const look = `cat /sys/block/*/size`;
    expect((await inGuest(pod, look)).split('\n')).not.toContain(String((29 * MIB) / 512));
    await eventually('the attachment pods are gone', 30_000, async () => (await attachmentPods()).length === 0);
    await eventually('an event tells it', 20_000, async () =>
      (await eventsOf(ns, 'all')).some(
        ({ reason, message }) => reason === 'VolumeUnplugged' && message.includes('extra'),
      ),
    );
    expect((await getVm(ns, 'all'))?.spec.template.spec.volumes?.map(({ name }) => name)).not.toContain('extra');
  }, 90_000);
});

describe('storage that is not there yet', () => {
  /** Nothing boots from the disk, which is all that the machine has. */
  const diskOnly = (name: string, source: object): Partial<Spec> => ({
    domain: {
      memory: { guest: '64Mi' },
      devices: { autoattachPodInterface: false, disks: [{ name, disk: { bus: 'virtio' } }] },
    },
    networks: [],
    volumes: [{ name, ...source }],
  });

  test('a claim that is missing is named, and waited for', async () => {
    await apply(tinyVmi(ns, 'late', diskOnly('late', { persistentVolumeClaim: { claimName: 'late' } })));
    const vmi = await eventually('the missing claim is told', 60_000, async () => {
      const seen = await getVmi(ns, 'late');
      return condition(seen, 'Synchronized') && seen;
    });
    expect(vmi.status?.phase).toBe('Pending');
    expect(condition(vmi, 'Synchronized')).toMatchObject({
      status: 'False',
      reason: 'FailedPvcNotFound',
      message: expect.stringContaining(`PVC ${ns}/late of volume "late" does not exist`),
    });
    await apply(claim('late', '5Mi'));
    expect(condition(await untilPhase(ns, 'late', 'Running', 120_000), 'Synchronized')).toBeUndefined();
    await kubectl('-n', ns, 'delete', 'vmi', 'late', '--wait=false');
  }, 200_000);

  test('without CDI a DataVolume is said to be what nobody makes; its claim is enough', async () => {
    await apply(tinyVmi(ns, 'dv', diskOnly('dv', { dataVolume: { name: 'imported' } })));
    const vmi = await eventually('the missing DataVolume is told', 60_000, async () => {
      const seen = await getVmi(ns, 'dv');
      return condition(seen, 'DataVolumesReady') && seen;
    });
    expect(condition(vmi, 'DataVolumesReady')).toMatchObject({ status: 'False', reason: 'NotAllDVsReady' });
    expect(condition(vmi, 'Synchronized')?.message).toContain('CDI, which makes DataVolumes, is not installed');
    await apply(claim('imported', '5Mi'));
    const running = await untilPhase(ns, 'dv', 'Running', 120_000);
    expect(condition(running, 'DataVolumesReady')).toMatchObject({ status: 'True', reason: 'AllDVsReady' });
    expect(await get('pvc', 'imported', ns)).toBeDefined();
    await kubectl('-n', ns, 'delete', 'vmi', 'dv', '--wait=false');
  }, 200_000);

  test('a host disk that is missing is named by its volume', async () => {
    await apply(
      tinyVmi(ns, 'none', diskOnly('none', { hostDisk: { path: '/tmp/none-of-that-name.img', type: 'Disk' } })),
    );
    const told = await eventually('the missing image is told', 100_000, async () =>
      condition(await getVmi(ns, 'none'), 'Synchronized'),
    );
    expect(told.message).toMatch(/volume "none": there is no .*none-of-that-name\.img/);
    await kubectl('-n', ns, 'delete', 'vmi', 'none', '--wait=false');
  }, 150_000);
});
