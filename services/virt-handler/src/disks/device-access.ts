import type { Run } from '../system/run.ts';

const CONTROLLER = 'devices';

/**
 * Which devices a container may open, in the node's control groups of version 1. Version 2 has a program for it that only
 * the container runtime can replace, so there nothing can be added to a container that runs.
 */
export class DeviceAccess {
  readonly #run: Run;
  readonly #enter: string[];

  constructor(run: Run, enter = ['nsenter', '--target', '1', '--mount', '--cgroup', '--']) {
    this.#run = run;
    this.#enter = enter;
  }

  async allow(pid: number, rdev: number, readOnly = false): Promise<void> {
    // What is allowed adds up: a right to write that was there before has to be taken away.
    if (readOnly) await this.#write(pid, 'devices.deny', rdev, 'w');
    if (await this.#write(pid, 'devices.allow', rdev, readOnly ? 'rm' : 'rwm')) return;
    throw new Error(
      'a volume with volumeMode Block cannot be plugged into a running guest on this node, which has control groups ' +
        'version 2 alone: use a claim with volumeMode Filesystem, or restart the guest with the volume in its spec',
    );
  }

  /** Where nothing could be allowed, nothing has to be forbidden. */
  async forbid(pid: number, rdev: number): Promise<void> {
    await this.#write(pid, 'devices.deny', rdev, 'rwm');
  }

  /** False where there is no such hierarchy. */
  async #write(pid: number, file: string, rdev: number, access: string): Promise<boolean> {
    const cgroups = await this.#run([...this.#enter, 'cat', `/proc/${pid}/cgroup`]);
    const path = devicesCgroup(cgroups);
    if (path === undefined) return false;
    const { major, minor } = numbersOf(rdev);
    await this.#run([...this.#enter, 'tee', `/sys/fs/cgroup/${CONTROLLER}${path}/${file}`], {
      input: `b ${major}:${minor} ${access}\n`,
    });
    return true;
  }
}

/** Path below the devices hierarchy, from a /proc/PID/cgroup; undefined where there is no such hierarchy. */
export function devicesCgroup(cgroups: string): string | undefined {
  for (const line of cgroups.split('\n')) {
    const [, controllers = '', ...path] = line.split(':');
    if (controllers.split(',').includes(CONTROLLER)) return path.join(':');
  }
  return undefined;
}

/** Linux's encoding of a device number. */
export function numbersOf(rdev: number): { major: number; minor: number } {
  return { major: (rdev >> 8) & 0xfff, minor: (rdev & 0xff) | ((rdev >> 12) & 0xfff00) };
}
