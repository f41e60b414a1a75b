import { readdir, readFile, stat } from 'node:fs/promises';
import { startTicks } from '../pod/cgroup.ts';
import type { PodPaths } from '../pod/paths.ts';

/** A QEMU of ours on this node, whoever knows of its pod. */
export interface LocalGuest {
  podUid: string;
  pid: number;
  /** Tells the process from another one that got its pid. */
  start: string;
}

const POD_UID = /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})/g;

/** UID of the pod that a process is in, from its /proc/PID/cgroup; systemd's driver writes it with underscores. */
export function podUidOf(cgroupFile: string): string | undefined {
  return [...cgroupFile.matchAll(POD_UID)].at(-1)?.[1]?.replaceAll('_', '-');
}

/** Finds the guests that run on the node by its processes, which are there whatever the cluster says. */
export class LocalGuests {
  readonly #paths: PodPaths;
  readonly #proc: string;

  constructor(paths: PodPaths, proc = '/proc') {
    this.#paths = paths;
    this.#proc = proc;
  }

  async find(): Promise<LocalGuest[]> {
    const pids = (await readdir(this.#proc)).filter((name) => /^\d+$/.test(name)).map(Number);
    const guests: LocalGuest[] = [];
    for (const pid of pids) {
      if (!(await this.#read(pid, 'comm'))?.startsWith('qemu')) continue;
      const podUid = podUidOf((await this.#read(pid, 'cgroup')) ?? '');
      const start = startTicks((await this.#read(pid, 'stat')) ?? '');
      // A QEMU in a pod without our socket is somebody else's.
      if (podUid && start && (await exists(this.#paths.emptyDir(podUid, 'sockets'))))
        guests.push({ podUid, pid, start });
    }
    return guests;
  }

  /** Ends the guest at once. Answers whether there was anything to end. */
  async kill({ pid, start }: LocalGuest): Promise<boolean> {
    if (startTicks((await this.#read(pid, 'stat')) ?? '') !== start) return false;
    try {
      process.kill(pid, 'SIGKILL');
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
  }

  /** A process may end at any time, which is no error. */
  async #read(pid: number, file: string): Promise<string | undefined> {
    return readFile(`${this.#proc}/${pid}/${file}`, 'utf8').catch(() => undefined);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
