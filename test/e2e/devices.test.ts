import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubectl, kubectlWith, root } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { inGuest } from './support/guest-shell.ts';
import {
  apply,
  askAgent,
  condition,
  eventsOf,
  freshNamespace,
  getVmi,
  inLauncher,
  launcherPod,
  type PodObject,
  tinyVmi,
  untilAgent,
  untilPhase,
} from './support/machines.ts';

// One guest with every device that it can show, booted by UEFI; one whose firmware demands signatures.
const ns = 'e2e-devices';
const disk = { name: 'root', disk: { bus: 'virtio' as const } };

let pod: PodObject;

const secret = (name: string, stringData: Record<string, string>) =>
  apply({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: ns, name }, stringData });

const machine = tinyVmi(ns, 'uefi', {
  domain: {
    memory: { guest: '160Mi' },
    cpu: { sockets: 1, cores: 2, threads: 1, model: 'Nehalem', features: [{ name: 'erms', policy: 'require' }] },
    firmware: { serial: 'SN-7', bootloader: { efi: { secureBoot: false } } },
    chassis: { asset: 'A-7' },
    clock: { utc: { offsetSeconds: 86_400 }, timer: { hpet: { present: false }, rtc: { tickPolicy: 'catchup' } } },
    devices: {
      disks: [disk],
      interfaces: [{ name: 'default', masquerade: {} }],
      rng: {},
      watchdog: { name: 'dog', i6300esb: { action: 'poweroff' } },
      video: { type: 'virtio' },
      sound: { name: 'noise' },
      tpm: {},
      inputs: [{ name: 'tablet', type: 'tablet', bus: 'usb' }],
      panicDevices: [{ model: 'pvpanic' }],
    },
  },
  accessCredentials: [
    {
      sshPublicKey: {
        source: { secret: { secretName: 'keys' } },
        propagationMethod: { qemuGuestAgent: { users: ['root'] } },
      },
    },
    {
      userPassword: { source: { secret: { secretName: 'passwords' } }, propagationMethod: { qemuGuestAgent: {} } },
    },
  ],
});

const secure = tinyVmi(ns, 'secure', {
  domain: {
    memory: { guest: '128Mi' },
    features: { smm: { enabled: true } },
    firmware: { bootloader: { efi: {} } },
    devices: { disks: [disk], interfaces: [{ name: 'default', masquerade: {} }], logSerialConsole: true },
  },
});

beforeAll(async () => {
  await freshNamespace(ns);
  await secret('keys', { first: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZpcnN0 first' });
  await secret('passwords', { root: 'geheim' });
  await apply(machine);
  await apply(secure);
  pod = await launcherPod(await untilAgent(ns, 'uefi', 120_000));
}, 240_000);

afterAll(() => kubectl('delete', 'namespace', ns, '--wait=false'));

test('the guest was booted by UEFI and has the CPU, the clock and the devices of its spec', async () => {
  const told = await inGuest(
    pod,
    [
      'ls /sys/firmware',
      'grep -c ^processor /proc/cpuinfo',
      "grep -m1 'cpu cores' /proc/cpuinfo | tr -d '\\t'",
      'grep -m1 -ow erms /proc/cpuinfo',
      'cat /sys/class/dmi/id/product_serial /sys/class/dmi/id/chassis_asset_tag',
      'date +now=%s',
      'for d in /sys/bus/pci/devices/*; do cat $d/vendor $d/device; done | paste -d: - -',
    ].join('; '),
    15_000,
  );
  const lines = told.split('\n').map((line) => line.trim());
  expect(lines).toEqual(expect.arrayContaining(['efi', '2', 'cpu cores: 2', 'erms', 'SN-7', 'A-7']));
  const [vga, rng, watchdog, sound] = ['0x1af4:0x1050', '0x1af4:0x1044', '0x8086:0x25ab', '0x8086:0x293e'];
  expect(lines).toEqual(expect.arrayContaining([vga, rng, watchdog, sound]));
  const clock = Number(/now=(\d+)/.exec(told)?.[1]);
  expect(Math.abs(clock - (Date.now() / 1000 + 86_400))).toBeLessThan(600);
}, 60_000);

test('keys and passwords are in the guest, and follow their secrets', async () => {
  await eventually('the credentials are in the guest', 30_000, async () => {
    return condition(await getVmi(ns, 'uefi'), 'AccessCredentialsSynchronized')?.status === 'True';
  });
  const keys = async () =>
    (
      await askAgent<{ keys: string[] }>(pod, {
        execute: 'guest-ssh-get-authorized-keys',
        arguments: { username: 'root' },
      })
    ).keys;
  expect(await keys()).toEqual([expect.stringMatching(/ first$/)]);
  expect(await inGuest(pod, 'cut -d: -f2 /etc/shadow /etc/passwd 2>/dev/null; true', 15_000)).toMatch(/\$/);

  await secret('keys', { second: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHNlY29uZA second' });
  await kubectl('-n', ns, 'patch', 'secret', 'keys', '--type=json', '-p', '[{"op":"remove","path":"/data/first"}]');
  // The kubelet looks at a secret again when its pod changes, or a minute later.
  await kubectl('-n', ns, 'annotate', 'pod', pod.metadata.name, 'test/poke=1');
  await eventually('the second key is in the guest', 100_000, async () => (await keys()).join().endsWith(' second'));
  expect((await eventsOf(ns, 'uefi')).map(({ reason }) => reason)).toContain('AccessCredentialsSyncSuccess');
}, 150_000);

test('firmware that demands signatures comes up, and says so on the console that is logged', async () => {
  const instance = await untilPhase(ns, 'secure', 'Running', 60_000);
  const launcher = await launcherPod(instance);
  const log = `/var/run/kubevirt-private/${instance.metadata.uid}/virt-serial0-log`;
  await eventually('the firmware has spoken', 90_000, async () => {
    return /BdsDxe|Access Denied|Security Violation/.test(await inLauncher(launcher, `cat ${log}`));
  });
}, 170_000);

test("the image's own libvirt takes every golden domain, and starts those with devices and firmware", async () => {
  const goldens = join(root, 'libs/domain/goldens');
  const files = readdirSync(goldens).sort();
  // The others start in the launcher's own tests, with an older QEMU.
  const started = /^(clock-all|cpu-named|efi|hyperv|panic|rng|serial-log|sound|tpm|video)/;
  const cases = files.map((file) => {
    const xml = readFileSync(join(goldens, file), 'utf8').replace('<domain type="kvm">', '<domain type="qemu">');
    return `cat >$d/x.xml <<'XML'\n${xml}XML\ntry ${file} ${started.test(file) ? 'start' : 'define'}\n`;
  });
  // A libvirt daemon of its own: the launcher's has a domain to mind.
  const script = `set -u
d=/var/run/kubevirt-private/g
mkdir -p $d/libvirt /var/run/kubevirt-private/11111111-2222-3333-4444-555555555555
cp /etc/yagura/libvirt/qemu.conf $d/libvirt/
export HOME=$d XDG_RUNTIME_DIR=$d XDG_CACHE_HOME=$d XDG_CONFIG_HOME=$d
libvirtd --timeout 30 >$d/log 2>&1 &
v="virsh -q -c qemu+unix:///session?socket=$d/libvirt/libvirt-sock"
for i in $(seq 100); do [ -S $d/libvirt/libvirt-sock ] && break; sleep 0.1; done
try() {
  error=$($v define --validate $d/x.xml 2>&1) || { echo "$1: $error"; return; }
  if [ $2 = start ]; then
    error=$($v start --paused default_demo 2>&1) || echo "$1: $error"
    $v destroy default_demo >/dev/null 2>&1
  fi
  $v undefine --nvram --tpm default_demo >/dev/null 2>&1
}
${cases.join('')}echo done`;
  const answer = await kubectlWith(
    script,
    '-n',
    ns,
    'exec',
    '-i',
    pod.metadata.name,
    '-c',
    'compute',
    '--',
    'sh',
    '-s',
  );
  expect(answer.trim().split('\n')).toEqual(['done']);
}, 180_000);
