import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Connection, connectUnix, Launcher } from '@yagura/contracts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CONFIG = join(HERE, '../../rootfs/etc/yagura/libvirt');

const PROGRAMS = [
  'libvirtd',
  'qemu-system-x86_64',
  'qemu-img',
  'xorriso',
  's6-svscan',
  'setpriv',
  'unshare',
  'ip',
  'busybox',
  'cpio',
  'modprobe',
  'qemu-ga',
];

const PACKAGES =
  'libvirt-daemon libvirt-daemon-driver-qemu qemu-system-x86 qemu-utils xorriso s6 busybox-static qemu-guest-agent cpio kmod';

/** Why a launcher cannot be run for real on this machine; undefined when it can. */
export function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  const search = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];
  const missing = PROGRAMS.filter((name) => !search.some((directory) => existsSync(join(directory, name))));
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')} (on Debian: apt-get install ${PACKAGES})`;
}

/** A launcher with its libvirt daemon under a real supervisor, in namespaces of its own. */
export class Pod {
  readonly root: string;
  readonly connection: Connection<typeof Launcher>;
  readonly #init: ChildProcess;
  exitCode: number | undefined;

  private constructor(root: string, init: ChildProcess) {
    this.root = root;
    this.#init = init;
    this.connection = connectUnix(Launcher, join(root, 'var/run/kubevirt/sockets/launcher-sock'));
    init.on('exit', (code) => {
      this.exitCode = code ?? -1;
    });
  }

  /** `program` is what node runs as the launcher. */
  static start(program: string, env: Record<string, string> = {}): Pod {
    const root = mkdtempSync('/tmp/yvl-');
    const privateDirectory = join(root, 'var/run/kubevirt-private');
    for (const directory of ['kubevirt/sockets', 'kubevirt/container-disks', 'kubevirt-ephemeral-disks', 'libvirt']) {
      mkdirSync(join(root, 'var/run', directory), { recursive: true });
    }
    mkdirSync(join(privateDirectory, 'libvirt'), { recursive: true });
    mkdirSync(join(root, 'dev'));
    writeFileSync(join(privateDirectory, 'libvirt/qemu.conf'), readFileSync(join(CONFIG, 'qemu.conf')));
    writeFileSync(join(privateDirectory, 'libvirt/libvirtd.conf'), readFileSync(join(CONFIG, 'libvirtd.conf')));
    writeScanDirectory(join(privateDirectory, 's6'), root, program, env);
    execFileSync('chown', ['-R', '107:107', root]);
    execFileSync('chmod', ['755', root]);
    const log = join(root, 'log');
    writeFileSync(log, '');
    const init = spawn(
      'unshare',
      [
        '--pid',
        '--fork',
        '--mount',
        '--net',
        '--mount-proc',
        '--kill-child',
        'sh',
        '-c',
        `exec sh "${HERE}pod.sh" "${root}" >>"${log}" 2>&1`,
      ],
      { stdio: 'ignore' },
    );
    return new Pod(root, init);
  }

  get calls(): Connection<typeof Launcher>['calls'] {
    return this.connection.calls;
  }

  /** What the pod's processes wrote. */
  get log(): string {
    return readFileSync(join(this.root, 'log'), 'utf8');
  }

  /** What the kubelet would show of the container's end. */
  get terminationMessage(): string {
    return readFileSync(join(this.root, 'dev/termination-log'), 'utf8');
  }

  /** PIDs, as this machine sees them, of the pod's processes with this name. */
  pids(name: string): number[] {
    return this.#processes().filter((pid) => nameOf(pid) === name);
  }

  kill(name: string, signal: NodeJS.Signals): number {
    const [pid] = this.pids(name);
    if (pid === undefined) throw new Error(`no ${name} in the pod`);
    process.kill(pid, signal);
    return pid;
  }

  /** As the kubelet does. */
  terminate(): void {
    const [pid] = this.pids('s6-svscan');
    if (pid !== undefined) process.kill(pid, 'SIGTERM');
  }

  async ended(): Promise<number> {
    if (this.exitCode === undefined) await once(this.#init, 'exit');
    return this.exitCode ?? -1;
  }

  async destroy(): Promise<void> {
    this.connection.close();
    for (const pid of this.pids('s6-svscan')) process.kill(pid, 'SIGKILL');
    await this.ended();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Everything in the PID namespace of the supervisor. */
  #processes(): number[] {
    const children = childrenOf(this.#init.pid);
    if (children === '') return [];
    const namespace = pidNamespace(Number(children.split(' ')[0]));
    const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return all.filter((pid) => namespace !== undefined && pidNamespace(pid) === namespace);
  }
}

function writeScanDirectory(scan: string, root: string, program: string, env: Record<string, string>): void {
  const service = (name: string, run: string, file = 'run') => {
    mkdirSync(join(scan, name), { recursive: true });
    writeFileSync(join(scan, name, file), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
  };
  const endPod = join(root, 'end-pod');
  writeFileSync(endPod, `#!/bin/sh\necho "$1" >"${scan}/../exit-code"\nexec s6-svscanctl -b "${scan}"\n`, {
    mode: 0o755,
  });
  const settings = {
    LAUNCHER_ROOT: root,
    LAUNCHER_END_POD: endPod,
    LIBVIRT_AUTOSTART: '0',
    LOG_VERBOSITY: '3',
    ...env,
  };
  const exports = Object.entries(settings).map(([key, value]) => `export ${key}='${value}'`);
  service('libvirtd', `exec libvirtd --config "${scan}/../libvirt/libvirtd.conf"`);
  service('launcher', `${exports.join('\n')}\nexec ${process.execPath} ${program}`);
  const marker = `[ -e "${scan}/../terminating" ] || date +%s >"${scan}/../terminating"`;
  service('.s6-svscan', `${marker}\nexec s6-svc -t "${scan}/launcher"`, 'SIGTERM');
  service('.s6-svscan', `code=1\nread -r code <"${scan}/../exit-code"\nexit "$code"`, 'finish');
}

function childrenOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Of the program, not of the thread; a zombie has none. */
function nameOf(pid: number): string | undefined {
  try {
    return basename(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '');
  } catch {
    return undefined;
  }
}

function pidNamespace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}
