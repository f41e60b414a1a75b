import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface SocketLink {
  vmiUid: string;
  namespace: string;
  name: string;
  /** The node's path of the launcher's socket. */
  target: string;
}

/** Short names on the node for the launchers' sockets, whose own paths are close to the limit of 107 bytes. */
export class SocketLinks {
  readonly #directory: string;

  constructor(shareDir: string) {
    this.#directory = join(shareDir, 'vmi');
  }

  async ensure({ vmiUid, namespace, name, target }: SocketLink): Promise<void> {
    await link(join(this.#directory, `${vmiUid}.sock`), target);
    await link(join(this.#directory, 'by-name', namespace, `${name}.sock`), target);
  }

  /** Removes every link whose target is of a pod that `isOver` says has ended, also those that a former handler left. */
  async removeWhere(isOver: (target: string) => boolean): Promise<void> {
    const byName = join(this.#directory, 'by-name');
    const namespaces = (await names(byName)).map((name) => join(byName, name));
    for (const directory of [this.#directory, ...namespaces]) {
      for (const name of await names(directory)) {
        const path = join(directory, name);
        const target = await readlink(path).catch(() => undefined);
        if (target !== undefined && isOver(target)) await rm(path, { force: true });
      }
      if (directory !== this.#directory) await rmdir(directory).catch(() => {});
    }
  }
}

async function link(path: string, target: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  await mkdir(dirname(path), { recursive: true });
  const staged = `${path}.${randomUUID()}`;
  await symlink(target, staged);
  await rename(staged, path);
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
