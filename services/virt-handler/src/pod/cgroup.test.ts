import { bareContainerId, containerOf, isNamespaceInit, startTicks } from './cgroup.ts';

const id = 'a1'.repeat(32);
const pod = 'b2'.repeat(32);

test.each([
  [
    'cgroup v1, cgroupfs',
    `12:memory:/kubepods/burstable/pod0123-45/${id}\n11:cpu:/kubepods/burstable/pod0123-45/${id}`,
    id,
  ],
  ['cgroup v2, systemd', `0::/kubepods.slice/kubepods-pod01.slice/cri-containerd-${id}.scope`, id],
  ['cgroup v2 from another cgroup namespace', `0::/../../pod0123/${id}`, id],
  ['a nested cgroup root', `4:pids:/node-b/kubepods/pod01/${id}/init`, id],
  ['a container of a container', `0::/docker/${pod}/kubepods/pod01/${id}`, id],
  ['no container', '0::/system.slice/sshd.service', undefined],
  ['v1 with an empty hierarchy first', `1:name=systemd:/\n0::/kubepods/${id}`, id],
])('finds the container of a process: %s', (_, file, expected) => {
  expect(containerOf(file)).toBe(expected);
});

test.each([
  ['containerd://abc', 'abc'],
  ['cri-o://abc', 'abc'],
  ['', undefined],
  [undefined, undefined],
])('the id of %s is %s', (full, bare) => {
  expect(bareContainerId(full)).toBe(bare);
});

test('only the first process of an inner PID namespace is a container’s first', () => {
  expect(isNamespaceInit('Name:\tx\nNSpid:\t4711\t1\n')).toBe(true);
  expect(isNamespaceInit('Name:\tx\nNSpid:\t900\t4711\t1\n')).toBe(true);
  expect(isNamespaceInit('Name:\tx\nNSpid:\t4711\t12\n')).toBe(false);
  expect(isNamespaceInit('Name:\tx\nNSpid:\t1\n')).toBe(false);
});

test('the start time is found behind any command name', () => {
  const stat = `42 (a) b) (c) S 1 ${Array.from({ length: 17 }, (_, i) => i).join(' ')} 98765 0 0`;
  expect(startTicks(stat)).toBe('98765');
});
