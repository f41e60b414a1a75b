import { readFile } from 'node:fs/promises';
import type { Run } from '../system/run.ts';
import { hostPathOf, hostRootOf, type Mount, parseMountinfo } from './mountinfo.ts';
import type { FileIdentity } from './resolve-in-root.ts';

/**
 * Run in the node's mount namespace: `sh -c … SOURCE IDENTITY TARGET OPTIONS`. What is opened is what is looked at and what is mounted,
 * so a link that appears in either path in the meantime ends in a refusal. The source reaches mount(2) as an open file; the
 * target is a path, because mount(8) wants one, in directories that are root's alone, and is looked at again afterwards.
 */
const BIND = `
refuse() { echo "refused: $1" >&2; exit 1; }
is() { [ "$(readlink "/proc/self/fd/$1")" = "$2" ] && [ "$(stat -L -c %d:%i "/proc/self/fd/$1")" = "$3" ]; }
exec 3<"$1" || exit 1
is 3 "$1" "$2" || refuse "$1 is not the file that was checked"
mount --no-canonicalize -o "$4" /proc/self/fd/3 "$3" || exit 1
exec 4<"$3" && is 4 "$3" "$2" && exit 0
umount --no-canonicalize --lazy "$3"
refuse "$3 is not where the image was mounted"
`;

/** Mounts in the node's own mount namespace, from where they reach the pods. */
export class HostMounts {
  readonly #run: Run;
  readonly #proc: string;
  readonly #enter: string[];

  /** `enter`: the words before a command that is to run in the node's mount namespace. */
  constructor(run: Run, proc = '/proc', enter = ['nsenter', '--target', '1', '--mount', '--']) {
    this.#run = run;
    this.#proc = proc;
    this.#enter = enter;
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

  /** Mounts the file `source`, which must be `identity`, read-only onto the file `target`. Both are the node's paths, without links. */
  async bindReadOnly(source: string, identity: FileIdentity, target: string): Promise<void> {
    await this.#bind(source, identity, target, 'bind,ro');
  }

  /** The same for a directory, which can be written to unless it is to be `readOnly`. */
  async bindDirectory(source: string, identity: FileIdentity, target: string, readOnly = false): Promise<void> {
    await this.#bind(source, identity, target, readOnly ? 'bind,ro' : 'bind');
  }

  async #bind(source: string, { device, inode }: FileIdentity, target: string, options: string): Promise<void> {
    await this.#inHost(['sh', '-c', BIND, 'bind-image', source, `${device}:${inode}`, target, options]);
  }

  /** The node's path of what is mounted at a path of a process. */
  async sourceOf(pid: number, path: string): Promise<string> {
    const container = parseMountinfo(await readFile(`${this.#proc}/${pid}/mountinfo`, 'utf8'));
    const source = hostPathOf(container, await this.list(), path);
    if (source === undefined) throw new Error(`what process ${pid} has at ${path} is not mounted on the node`);
    return source;
  }

  async unmount(target: string): Promise<void> {
    await this.#inHost(['umount', '--no-canonicalize', '--lazy', target]);
  }

  async #inHost(command: string[]): Promise<void> {
    await this.#run([...this.#enter, ...command]);
  }
}
