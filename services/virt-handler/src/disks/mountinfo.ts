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
