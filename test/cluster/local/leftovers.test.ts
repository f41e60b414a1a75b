import { clusterLinks, clusterLoops, clusterMounts } from './leftovers.ts';

test("mounts on, or of, the cluster's directories are its own", () => {
  const mountinfo = [
    '24 1 254:0 / / rw - ext4 /dev/vda rw',
    '25 24 254:0 /var/lib/yagura-local/nodes/node-a/dirs/x /var/lib/kubelet rw - ext4 /dev/vda rw',
    '26 24 254:0 /var/lib/yagura-local/gone//deleted /mnt rw - ext4 /dev/vda rw',
    '27 24 0:30 / /run/yagura-local/x rw - tmpfs tmpfs rw',
    '28 24 0:31 / /var/lib/yagura-local-other rw - tmpfs tmpfs rw',
    '',
  ].join('\n');
  expect(clusterMounts(mountinfo)).toEqual(['/var/lib/kubelet', '/mnt', '/run/yagura-local/x']);
});

test('bridges and cables are told by their names', () => {
  const names = ['lo', 'eth0', 'ygr0', 'ygr1', 'ygr-node-a', 'ygr1-node-b', 'ygr10', 'docker0'];
  expect(clusterLinks(names)).toEqual(['ygr0', 'ygr1', 'ygr-node-a', 'ygr1-node-b']);
});

test("loop devices are told by their file: the provisioner's, and those that a kubelet adds to its volumes", () => {
  const list = (files: (string | null)[]): string =>
    JSON.stringify({ loopdevices: files.map((file, index) => ({ name: `/dev/loop${index}`, 'back-file': file })) });
  const files = [
    '/home/me/disk.img',
    '/var/lib/yagura-local/shared/pvc-1.img',
    '/var/lib/yagura-local/shared/pvc-2.img (deleted)',
    '/var/lib/kubelet/plugins/kubernetes.io~local-volume/volumeDevices/pvc-1/uid',
    '/var/lib/kubelet/plugins/kubernetes.io~local-volume/volumeDevices/pvc-9/uid',
    null,
  ];
  expect(clusterLoops(list(files), ['pvc-1', 'pvc-1.img'])).toEqual(['/dev/loop1', '/dev/loop2', '/dev/loop3']);
  expect(clusterLoops('', [])).toEqual([]);
});
