import { readdir, readFile } from 'node:fs/promises';
import { containerOf, isNamespaceInit, startTicks } from './cgroup.ts';

interface Found {
  pid: number;
  start: string;
}

/** Finds the first process of a container, by its cgroup: the only name of it that every runtime writes. */
export class ContainerProcesses {
  readonly #proc: string;
  readonly #known = new Map<string, Found>();

  constructor(proc = '/proc') {
    this.#proc = proc;
  }

  /** Process id, in this process's PID namespace, of the container's first process; undefined when it runs no more. */
  async find(containerId: string): Promise<number | undefined> {
    const known = this.#known.get(containerId);
    if (known !== undefined && (await this.#start(known.pid)) === known.start) return known.pid;
    this.#known.delete(containerId);
    for (const pid of await this.#pids()) {
      if ((await this.#container(pid)) !== containerId) continue;
      const status = await this.#read(pid, 'status');
      const start = await this.#start(pid);
      if (status === undefined || start === undefined || !isNamespaceInit(status)) continue;
      this.#known.set(containerId, { pid, start });
      return pid;
    }
    return undefined;
  }

  /** Whether a program whose name begins so runs in the container, as the node sees it, whoever says otherwise. */
  async runs(containerId: string, namePrefix: string): Promise<boolean> {
    for (const pid of await this.#pids()) {
      if ((await this.#container(pid)) !== containerId) continue;
      if ((await this.#read(pid, 'comm'))?.startsWith(namePrefix)) return true;
    }
    return false;
  }

  forget(containerId: string): void {
    this.#known.delete(containerId);
  }

  async #pids(): Promise<number[]> {
    return (await readdir(this.#proc)).filter((name) => /^\d+$/.test(name)).map(Number);
  }

  async #container(pid: number): Promise<string | undefined> {
    const file = await this.#read(pid, 'cgroup');
    return file && containerOf(file);
  }

  async #start(pid: number): Promise<string | undefined> {
    const file = await this.#read(pid, 'stat');
    return file && startTicks(file);
  }

  /** A process may end at any time, which is no error. */
  async #read(pid: number, file: string): Promise<string | undefined> {
    return readFile(`${this.#proc}/${pid}/${file}`, 'utf8').catch(() => undefined);
  }
}
