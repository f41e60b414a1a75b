import { join, relative } from 'node:path';

/** A line of /proc/PID/mountinfo, as far as it is used. */
export interface Mount {
  /** `major:minor` of the filesystem: the same wherever it is mounted. */
  device: string;
  /** Directory of the filesystem that is mounted. */
  root: string;
  mountPoint: string;
  type: string;
  /** Of this mount, whatever the filesystem is. */
  readOnly: boolean;
}

export function parseMountinfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const [, , device, root, mountPoint, options] = fields;
    const type = fields[fields.indexOf('-', 5) + 1];
    if (device === undefined || root === undefined || mountPoint === undefined || type === undefined) return [];
    const readOnly = options?.split(',').includes('ro') ?? false;
    return [{ device, root: unescape(root), mountPoint: unescape(mountPoint), type, readOnly }];
  });
}

/** Space, tab, newline and backslash are written as three octal digits. */
function unescape(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Where the node's mount namespace has the root filesystem of a container. */
export function hostRootOf(container: Mount[], host: Mount[]): string | undefined {
  const root = container.findLast(({ mountPoint }) => mountPoint === '/');
  if (root === undefined) return undefined;
  return host.findLast(({ device, root: directory }) => device === root.device && directory === root.root)?.mountPoint;
}

/**
 * Where the node has what a container has mounted at `path`: that filesystem is mounted on the node too, at the same
 * directory or above it.
 */
export function hostPathOf(container: Mount[], host: Mount[], path: string): string | undefined {
  const mount = container.findLast(({ mountPoint }) => mountPoint === path);
  if (mount === undefined) return undefined;
  const above = host
    .filter(({ device, root }) => device === mount.device && isWithin(mount.root, root))
    // The nearest, so that nothing else can be mounted in between.
    .reduce<Mount | undefined>((best, one) => (best && best.root.length >= one.root.length ? best : one), undefined);
  return above && join(above.mountPoint, relative(above.root, mount.root));
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
