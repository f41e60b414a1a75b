import { access, chmod, rm, writeFile } from 'node:fs/promises';
import { exec, tryExec } from './exec.ts';

/** Debian packages, by what they are for. */
export const packages: Readonly<Record<'local' | 'images' | 'tests', readonly string[]>> = {
  local: [
    'etcd-server',
    'containerd',
    'runc',
    'containernetworking-plugins',
    's6',
    'iproute2',
    'nftables',
    'iptables',
    'openssl',
    'tini',
    'busybox-static',
    'e2fsprogs',
  ],
  images: ['buildah', 'mmdebstrap', 'busybox-static', 'e2fsprogs'],
  // For the tests against real libvirt and QEMU on this machine; no cluster needs them.
  tests: [
    'busybox-static',
    'cpio',
    'g++',
    'iproute2',
    'kmod',
    'libvirt-clients',
    'libvirt-daemon',
    'libvirt-daemon-driver-qemu',
    'libvirt-dev',
    'libxml2-utils',
    'perl-base',
    'pkg-config',
    // promtool; the tests start no server of it.
    'prometheus',
    'qemu-guest-agent',
    'qemu-system-x86',
    'qemu-utils',
    's6',
    'xorriso',
    'zstd',
  ],
};

export async function missingPackages(wanted: readonly string[]): Promise<string[]> {
  const answer =
    (await tryExec('sh', [
      '-c',
      `dpkg-query -W -f '\${Package} \${db:Status-Status}\\n' "$@" 2>/dev/null || true`,
      'sh',
      ...wanted,
    ])) ?? '';
  const installed = new Set(
    answer
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return wanted.filter((name) => !installed.has(name));
}

const policy = '/usr/sbin/policy-rc.d';

/** Installs without starting the packages' own daemons (etcd, containerd): the cluster runs its own. */
async function installQuietly(missing: readonly string[], signal: AbortSignal): Promise<void> {
  const exists = await access(policy).then(
    () => true,
    () => false,
  );
  if (!exists) {
    await writeFile(policy, '#!/bin/sh\nexit 101\n');
    await chmod(policy, 0o755);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = (): Promise<string> =>
    exec(
      'apt-get',
      ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', ...missing],
      { env, log: 'apt.log' },
      signal,
    );
  try {
    await install().catch(async () => {
      signal.throwIfAborted();
      await exec('apt-get', ['update'], { env, log: 'apt.log' }, signal);
      await install();
    });
  } finally {
    if (!exists) await rm(policy, { force: true });
  }
}

/** Answers a remark on what was installed; on a machine where it may not, an error with the line to type. */
export async function ensurePackages(
  wanted: readonly string[],
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const missing = await missingPackages(wanted);
  if (missing.length === 0) return 'already there';
  if ((await tryExec('sh', ['-c', 'command -v apt-get'])) === undefined)
    throw new Error(
      `needed and not found: ${missing.join(' ')} (names of Debian packages; this machine has no apt-get to install them with)`,
    );
  if (process.getuid?.() !== 0)
    throw new Error(`needed Debian packages are missing. Install them: sudo apt-get install ${missing.join(' ')}`);
  note(missing.join(' '));
  await installQuietly(missing, signal);
  return `installed ${missing.join(' ')}`;
}
