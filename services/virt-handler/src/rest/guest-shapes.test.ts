import { create } from '@bufbuild/protobuf';
import { GetFilesystemsResponseSchema, GetGuestInfoResponseSchema, GetUsersResponseSchema } from '@yagura/contracts';
import { filesystemListShape, guestOsInfoShape, userListShape } from './guest-shapes.ts';

const users = create(GetUsersResponseSchema, {
  users: Array.from({ length: 12 }, (_, i) => ({
    name: `user${i}`,
    loginTime: { seconds: 1_764_504_000n, nanos: 500_000_000 },
  })),
});
const filesystems = create(GetFilesystemsResponseSchema, {
  filesystems: Array.from({ length: 11 }, (_, i) => ({
    diskName: `vda${i}`,
    mountPoint: `/m${i}`,
    type: 'ext4',
    usedBytes: 5n,
    totalBytes: 9n,
    disks: [{ busType: 'virtio' }],
  })),
});

test('the lists are whole, with login times in seconds', () => {
  expect(userListShape(users).items).toHaveLength(12);
  expect(userListShape(users).items[0]).toEqual({ userName: 'user0', loginTime: 1_764_504_000.5 });
  expect(filesystemListShape(filesystems).items).toHaveLength(11);
  expect(filesystemListShape(filesystems).items[3]).toEqual({
    diskName: 'vda3',
    mountPoint: '/m3',
    fileSystemType: 'ext4',
    usedBytes: 5,
    totalBytes: 9,
    disk: [{ busType: 'virtio' }],
  });
});

test('guestosinfo has ten of each, and nothing that the agent did not say', () => {
  const info = create(GetGuestInfoResponseSchema, { agentVersion: '10.0', hostname: 'demo', os: { name: 'Debian' } });
  const shape = guestOsInfoShape(info, users, filesystems);
  expect(shape.userList).toHaveLength(10);
  expect(shape.fsInfo.disks).toHaveLength(10);
  expect({ ...shape, userList: undefined, fsInfo: undefined }).toEqual({
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    apiVersion: 'subresources.kubevirt.io/v1',
    guestAgentVersion: '10.0',
    hostname: 'demo',
    os: { name: 'Debian' },
  });
});
