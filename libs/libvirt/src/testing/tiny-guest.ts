import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface TinyGuest {
  kernel: string;
  initrd: string;
}

const CACHE_PREFIX = fileURLToPath(new URL('../../../../.local/libvirt-test-guest', import.meta.url));
const MODULES = ['virtio_ring', 'virtio', 'virtio_pci_modern_dev', 'virtio_pci_legacy_dev', 'virtio_pci'];
const DEVICES = ['virtio_console', 'virtio_balloon', 'virtio_blk', 'failover', 'net_failover', 'virtio_net'];

const INIT = `#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /run /tmp /bin /sbin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
hostname tiny
ln -s /bin/busybox /sbin/hwclock
for module in ${[...MODULES, ...DEVICES].join(' ')}; do insmod /modules/$module.ko; done
# Without udev nobody makes the port's by-name link.
for port in /sys/class/virtio-ports/*; do
  [ "$(cat $port/name)" = org.qemu.guest_agent.0 ] && agent=/dev/\${port##*/}
done
ifconfig lo up
echo READY > /dev/ttyS0
while true; do
  [ -n "$agent" ] && qemu-ga -m virtio-serial -p $agent -t /run
  sleep 1
done
`;

const SHUTDOWN = `#!/bin/sh
case " $* " in *" -r "*) exec reboot -f ;; esac
exec poweroff -f
`;

function run(command: string, args: readonly string[], cwd?: string): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
}

/** The libraries of a dynamically linked program. */
function libraries(program: string): string[] {
  return [...[...run('ldd', [program]).matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] as string)];
}

/** The cache is made anew when what it is made of changes. */
const CACHE = `${CACHE_PREFIX}-${createHash('sha256').update(INIT).update(SHUTDOWN).digest('hex').slice(0, 12)}`;

/**
 * A guest of Debian's cloud kernel and an initrd with busybox and the guest agent; up in seconds under TCG.
 * Built once, from packages.
 */
export function tinyGuest(): TinyGuest {
  const guest = { kernel: join(CACHE, 'vmlinuz'), initrd: join(CACHE, 'initrd.gz') };
  if (existsSync(guest.initrd)) return guest;
  mkdirSync(dirname(CACHE), { recursive: true });
  const work = mkdtempSync(`${CACHE}-`);
  try {
    const kernelPackage = /Depends: (linux-image-\S+)/.exec(
      run('apt-cache', ['depends', 'linux-image-cloud-amd64']),
    )?.[1];
    if (kernelPackage === undefined) throw new Error('apt knows no linux-image-cloud-amd64: run apt-get update');
    run('apt-get', ['download', kernelPackage, 'qemu-guest-agent'], work);
    for (const archive of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
      run('dpkg-deb', ['-x', archive, archive.startsWith('qemu') ? 'agent' : 'kernel'], work);
    }

    const root = join(work, 'root');
    for (const folder of ['bin', 'modules', 'dev', 'proc', 'sys', 'run'])
      mkdirSync(join(root, folder), { recursive: true });
    run('cp', ['-L', '--parents', ...libraries(join(work, 'agent/usr/sbin/qemu-ga')), root]);
    mkdirSync(join(root, 'usr/sbin'), { recursive: true });
    run('cp', [join(work, 'agent/usr/sbin/qemu-ga'), join(root, 'usr/sbin/qemu-ga')]);
    run('cp', ['-L', '/usr/bin/busybox', join(root, 'bin/busybox')]);
    const modules = run('find', [join(work, 'kernel/lib/modules'), '-name', '*.ko'])
      .trim()
      .split('\n');
    for (const name of [...MODULES, ...DEVICES]) {
      const path = modules.find((module) => module.endsWith(`/${name}.ko`));
      if (path === undefined) throw new Error(`${kernelPackage} has no module ${name}`);
      cpSync(path, join(root, 'modules', `${name}.ko`));
    }
    writeFileSync(join(root, 'init'), INIT, { mode: 0o755 });
    // What the agent runs for guest-shutdown.
    mkdirSync(join(root, 'sbin'), { recursive: true });
    writeFileSync(join(root, 'sbin/shutdown'), SHUTDOWN, { mode: 0o755 });

    const done = join(work, 'done');
    mkdirSync(done);
    run('sh', ['-c', `cd ${root} && find . | busybox cpio -o -H newc | gzip -1 > ${done}/initrd.gz`]);
    cpSync(join(work, 'kernel/boot', `vmlinuz-${kernelPackage.replace('linux-image-', '')}`), join(done, 'vmlinuz'));
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(done, CACHE);
    return guest;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export interface DomainOptions {
  name: string;
  guest?: TinyGuest;
  memoryMiB?: number;
  /** Raw XML of further devices. */
  devices?: string;
}

/** A domain under TCG: with a guest it boots it and has an agent channel, without one it has nothing to run. */
export function domainXML({ name, guest, memoryMiB = 64, devices = '' }: DomainOptions): string {
  const boot = guest
    ? `<kernel>${guest.kernel}</kernel><initrd>${guest.initrd}</initrd><cmdline>console=ttyS0 quiet</cmdline>`
    : '';
  const agent = guest
    ? `<channel type='unix'><source mode='bind'/><target type='virtio' name='org.qemu.guest_agent.0'/></channel>`
    : '';
  return `<domain type='qemu'>
  <name>${name}</name>
  <memory unit='MiB'>${memoryMiB}</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type>${boot}</os>
  <features><acpi/></features>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
    <controller type='usb' model='none'/>
    <memballoon model='virtio'/>
    <serial type='null'/>
    ${agent}
    ${devices}
  </devices>
</domain>`;
}

/** Sockets to plug devices into, beyond those that the domain's own devices take. */
export function rootPorts(count: number): string {
  const ports = Array.from(
    { length: count },
    (_, i) => `<controller type='pci' index='${i + 1}' model='pcie-root-port'/>`,
  );
  return `<controller type='pci' index='0' model='pcie-root'/>${ports.join('')}`;
}
