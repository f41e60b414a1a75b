import { createCgroup, mountCgroups, parseCgroupMounts } from './cgroup-mounts.ts';

const line = (path: string, type: string, options: string): string =>
  `30 25 0:26 / ${path} rw,nosuid,nodev,noexec,relatime shared:9 - ${type} ${type} ${options}`;
const v1 = [
  '24 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  line('/sys/fs/cgroup', 'tmpfs', 'rw,mode=755'),
  line('/sys/fs/cgroup/cpu,cpuacct', 'cgroup', 'rw,cpu,cpuacct'),
  line('/sys/fs/cgroup/cpuset', 'cgroup', 'rw,cpuset,clone_children'),
  line('/sys/fs/cgroup/systemd', 'cgroup', 'rw,xattr,release_agent=/lib/agent,name=systemd'),
  line('/sys/fs/cgroup/unified', 'cgroup2', 'rw,nsdelegate'),
].join('\n');
const v2 = line('/sys/fs/cgroup', 'cgroup2', 'rw,nsdelegate,memory_recursiveprot');

test('hierarchies of version 1 and 2 are told apart, with the options that mount them again', () => {
  expect(parseCgroupMounts(v1)).toEqual([
    { path: '/sys/fs/cgroup/cpu,cpuacct', type: 'cgroup', options: 'cpu,cpuacct' },
    { path: '/sys/fs/cgroup/cpuset', type: 'cgroup', options: 'cpuset' },
    { path: '/sys/fs/cgroup/systemd', type: 'cgroup', options: 'none,name=systemd' },
    { path: '/sys/fs/cgroup/unified', type: 'cgroup2', options: '' },
  ]);
  expect(parseCgroupMounts(v2)).toEqual([{ path: '/sys/fs/cgroup', type: 'cgroup2', options: '' }]);
});

test('a node lays them out anew under a tmpfs, or as the one of version 2', () => {
  expect(mountCgroups(parseCgroupMounts(v2))).toEqual(['mount -t cgroup2 cgroup2 /sys/fs/cgroup']);
  expect(mountCgroups(parseCgroupMounts(v1))).toEqual([
    'mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup',
    'mkdir /sys/fs/cgroup/cpu,cpuacct',
    'mount -t cgroup -o cpu,cpuacct cgroup /sys/fs/cgroup/cpu,cpuacct',
    'ln -s cpu,cpuacct /sys/fs/cgroup/cpu',
    'ln -s cpu,cpuacct /sys/fs/cgroup/cpuacct',
    'mkdir /sys/fs/cgroup/cpuset',
    'mount -t cgroup -o cpuset cgroup /sys/fs/cgroup/cpuset',
    'mkdir /sys/fs/cgroup/systemd',
    'mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd',
    'mkdir /sys/fs/cgroup/unified',
    'mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified',
  ]);
});

test('a new cgroup gets its cpus and memory nodes (version 1) or its controllers (version 2) from its parent', () => {
  const one = createCgroup(parseCgroupMounts(v1), 'a/b').filter((each) => each.includes('cpuset.cpus'));
  expect(one).toEqual([
    '[ -n "$(cat /sys/fs/cgroup/cpuset/a/cpuset.cpus)" ] || cat /sys/fs/cgroup/cpuset/cpuset.cpus > /sys/fs/cgroup/cpuset/a/cpuset.cpus',
    '[ -n "$(cat /sys/fs/cgroup/cpuset/a/b/cpuset.cpus)" ] || cat /sys/fs/cgroup/cpuset/a/cpuset.cpus > /sys/fs/cgroup/cpuset/a/b/cpuset.cpus',
  ]);
  expect(createCgroup(parseCgroupMounts(v2), 'a').join('\n')).toContain('/sys/fs/cgroup/cgroup.subtree_control');
});
