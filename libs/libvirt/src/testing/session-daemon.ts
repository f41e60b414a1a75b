import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Connection, type OpenOptions } from '../connection.ts';
import { until } from './until.ts';

/** Debian packages that these tests and the binding's build need, for CI. */
export const DEBIAN_PACKAGES = [
  'g++',
  'pkg-config',
  'libvirt-dev',
  'libvirt-daemon',
  'libvirt-daemon-driver-qemu',
  'qemu-system-x86',
  'qemu-utils',
  'busybox-static',
  'perl-base',
] as const;

const LIBVIRTD = '/usr/sbin/libvirtd';
const QEMU = '/usr/bin/qemu-system-x86_64';

/** Says what is missing on this machine, undefined when nothing is. */
export function missing(): string | undefined {
  const absent = [LIBVIRTD, QEMU, '/usr/bin/qemu-img', '/usr/bin/busybox'].filter((path) => !existsSync(path));
  return absent.length === 0 ? undefined : `${absent.join(', ')} missing: apt-get install ${DEBIAN_PACKAGES.join(' ')}`;
}

/** libvirtd runs as root only in system mode; a session needs another user. */
const [UID, GID] = process.getuid?.() === 0 ? [65534, 65534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];

/** A libvirt daemon in session mode with all its files in a folder of its own; ended with everything it started. */
export class SessionDaemon {
  readonly directory: string;
  readonly uri: string;
  readonly socket: string;
  readonly #reaper: ChildProcessWithoutNullStreams;
  readonly #exited = new Set<number>();
  #pid: number | undefined;

  private constructor(directory: string) {
    this.directory = directory;
    this.socket = join(directory, 'run/libvirt/libvirt-sock');
    this.uri = `qemu:///session?socket=${this.socket}`;
    const env = {
      PATH: process.env['PATH'],
      HOME: directory,
      XDG_RUNTIME_DIR: join(directory, 'run'),
      XDG_CONFIG_HOME: join(directory, 'config'),
      XDG_CACHE_HOME: join(directory, 'cache'),
    };
    const script = fileURLToPath(new URL('reaper.pl', import.meta.url));
    const command = [LIBVIRTD, '-f', join(directory, 'libvirtd.conf')];
    this.#reaper = spawn('perl', [script, directory, String(UID), String(GID), ...command], { env, stdio: 'pipe' });
    this.#reaper.stderr.resume();
    createInterface({ input: this.#reaper.stdout }).on('line', (line) => {
      const [what, pid] = line.split(' ');
      if (what === 'started') this.#pid = Number(pid);
      if (what === 'exited') this.#exited.add(Number(pid));
    });
  }

  static async start(): Promise<SessionDaemon> {
    const directory = mkdtempSync(join(tmpdir(), 'yagura-lv-'));
    for (const folder of ['', 'run', 'config', 'config/libvirt', 'cache']) {
      mkdirSync(join(directory, folder), { recursive: true, mode: 0o755 });
      chownSync(join(directory, folder), UID, GID);
    }
    // Two daemons of one machine refuse to migrate to each other unless each has a UUID of its own.
    writeFileSync(
      join(directory, 'libvirtd.conf'),
      `host_uuid = "${randomUUID()}"\nlog_outputs = "2:file:${join(directory, 'libvirtd.log')}"\n`,
    );
    writeFileSync(
      join(directory, 'config/libvirt/qemu.conf'),
      'security_driver = "none"\nnamespaces = []\ncgroup_controllers = []\nstdio_handler = "file"\n',
    );
    const daemon = new SessionDaemon(directory);
    await daemon.startProcess();
    return daemon;
  }

  get pid(): number {
    if (this.#pid === undefined) throw new Error('the daemon does not run');
    return this.#pid;
  }

  /** Starts the daemon, anew after its death, and waits until it answers. */
  async startProcess(): Promise<void> {
    this.#pid = undefined;
    this.#reaper.stdin.write('start\n');
    await until('the daemon answers', async () => {
      if (this.#pid === undefined || !existsSync(this.socket)) return false;
      if (this.#exited.has(this.#pid)) throw new Error(`libvirtd ended:\n${this.log()}`);
      const connection = await Connection.open(this.uri, { timeoutMs: 5000 }).catch(() => undefined);
      await connection?.close();
      return connection !== undefined;
    });
  }

  /** Signals the daemon alone: its QEMUs stay. */
  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  hasExited(pid: number): boolean {
    return this.#exited.has(pid);
  }

  open(options: OpenOptions = {}): Promise<Connection> {
    return Connection.open(this.uri, options);
  }

  /** The process of a running domain's QEMU. */
  qemuPid(domain: string): number {
    return Number(readFileSync(join(this.directory, `run/libvirt/qemu/run/${domain}.pid`), 'utf8'));
  }

  log(): string {
    const path = join(this.directory, 'libvirtd.log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#reaper.once('exit', resolve));
    this.#reaper.stdin.end();
    await ended;
  }
}
