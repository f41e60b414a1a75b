import { readFile } from 'node:fs/promises';
import type { Run } from '../system/run.ts';
import { hostRootOf, type Mount, parseMountinfo } from './mountinfo.ts';

/** Mounts in the node's own mount namespace, from where they reach the pods. */
export class HostMounts {
  readonly #run: Run;
  readonly #proc: string;

  constructor(run: Run, proc = '/proc') {
    this.#run = run;
    this.#proc = proc;
  }

  async list(): Promise<Mount[]> {
    return parseMountinfo(await readFile(`${this.#proc}/1/mountinfo`, 'utf8'));
  }

  /** The node's path of the root filesystem of a process. */
  async rootOf(pid: number): Promise<string> {
    const container = parseMountinfo(await readFile(`${this.#proc}/${pid}/mountinfo`, 'utf8'));
    const root = hostRootOf(container, await this.list());
    if (root === undefined) throw new Error(`the root filesystem of process ${pid} is not mounted on the node`);
    return root;
  }

  /** Mounts a file read-only onto another. Both are the node's paths and free of links. */
  async bindReadOnly(source: string, target: string): Promise<void> {
    await this.#inHost(['mount', '--no-canonicalize', '-o', 'bind,ro', source, target]);
  }

  async unmount(target: string): Promise<void> {
    await this.#inHost(['umount', '--no-canonicalize', '--lazy', target]);
  }

  async #inHost(command: string[]): Promise<void> {
    await this.#run(['nsenter', '--target', '1', '--mount', '--', ...command]);
  }
}
