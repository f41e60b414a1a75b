/** The machine's cgroup hierarchies (v1, v2 or both at once), from /proc/self/mountinfo. Pure. */
export interface CgroupMount {
  readonly path: string;
  readonly type: 'cgroup' | 'cgroup2';
  /** For `mount -o`: the controllers or the name of a v1 hierarchy. */
  readonly options: string;
}

const common = new Set([
  'rw',
  'ro',
  'nosuid',
  'nodev',
  'noexec',
  'relatime',
  'xattr',
  'nsdelegate',
  'memory_recursiveprot',
  'memory_hugetlb_accounting',
  'clone_children',
  'favordynmods',
]);

export function parseCgroupMounts(mountinfo: string): CgroupMount[] {
  const found = new Map<string, CgroupMount>();
  for (const line of mountinfo.split('\n')) {
    const [head, tail] = line.split(' - ');
    if (head === undefined || tail === undefined) continue;
    const path = head.split(' ')[4] ?? '';
    const [type, , superOptions = ''] = tail.split(' ');
    if ((type !== 'cgroup' && type !== 'cgroup2') || !path.startsWith('/sys/fs/cgroup')) continue;
    const options = superOptions
      .split(',')
      .filter((option) => !common.has(option) && !option.startsWith('release_agent='))
      .map((option) => (option.startsWith('name=') ? `none,${option}` : option));
    found.set(path, { path, type, options: type === 'cgroup' ? options.join(',') : '' });
  }
  return [...found.values()];
}

const isCpuset = (mount: CgroupMount): boolean => mount.options.split(',').includes('cpuset');

/** Shell lines that make a cgroup in every hierarchy; in v1 an empty cpuset takes no process, in v2 controllers are handed down one by one. */
export function createCgroup(mounts: readonly CgroupMount[], path: string): string[] {
  const lines: string[] = [];
  for (const mount of mounts) {
    let at = mount.path;
    for (const part of path.split('/')) {
      const parent = at;
      at = `${at}/${part}`;
      lines.push(`mkdir -p ${at}`);
      if (isCpuset(mount))
        for (const file of ['cpuset.cpus', 'cpuset.mems'])
          lines.push(`[ -n "$(cat ${at}/${file})" ] || cat ${parent}/${file} > ${at}/${file}`);
      if (mount.type === 'cgroup2')
        lines.push(
          `for c in $(cat ${parent}/cgroup.controllers); do echo +$c > ${parent}/cgroup.subtree_control 2>/dev/null || true; done`,
        );
    }
  }
  return lines;
}

export function joinCgroup(mounts: readonly CgroupMount[], path: string): string[] {
  return mounts.map((mount) => `echo $$ > ${mount.path}/${path}/cgroup.procs`);
}

/** Shell lines that lay the hierarchies out anew inside a cgroup namespace, so that the node's cgroup is its root. */
export function mountCgroups(mounts: readonly CgroupMount[]): string[] {
  if (mounts.length === 1 && mounts[0]?.path === '/sys/fs/cgroup') return ['mount -t cgroup2 cgroup2 /sys/fs/cgroup'];
  const lines = ['mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup'];
  for (const { path, type, options } of mounts) {
    lines.push(
      `mkdir ${path}`,
      options === '' ? `mount -t ${type} ${type} ${path}` : `mount -t ${type} -o ${options} ${type} ${path}`,
    );
    const controllers = options.split(',');
    if (controllers.length > 1 && controllers[0] !== 'none')
      for (const each of controllers) lines.push(`ln -s ${path.split('/').at(-1)} /sys/fs/cgroup/${each}`);
  }
  return lines;
}
