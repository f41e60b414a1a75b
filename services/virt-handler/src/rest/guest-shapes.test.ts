import { create } from '@bufbuild/protobuf';
import {
  AnswerState,
  GetFilesystemsResponseSchema,
  GetGuestInfoResponseSchema,
  GetUsersResponseSchema,
} from '@yagura/contracts';
import { HttpError } from './errors.ts';
import { filesystemListShape, guestOsInfoShape, userListShape } from './guest-shapes.ts';

const answered = { state: AnswerState.OK };
const users = create(GetUsersResponseSchema, {
  status: answered,
  users: Array.from({ length: 12 }, (_, i) => ({
    name: `user${i}`,
    loginTime: { seconds: 1_764_504_000n, nanos: 500_000_000 },
  })),
});
const filesystems = create(GetFilesystemsResponseSchema, {
  status: answered,
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
  const info = create(GetGuestInfoResponseSchema, {
    agentVersion: '10.0',
    agentStatus: answered,
    hostname: 'demo',
    os: { name: 'Debian' },
  });
  const shape = guestOsInfoShape(info, users, filesystems);
  expect(shape.userList).toHaveLength(10);
  expect(shape.fsInfo?.disks).toHaveLength(10);
  expect({ ...shape, userList: undefined, fsInfo: undefined }).toEqual({
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    apiVersion: 'subresources.kubevirt.io/v1',
    guestAgentVersion: '10.0',
    hostname: 'demo',
    os: { name: 'Debian' },
  });
});

const never = { state: AnswerState.NEVER, error: 'the agent did not answer within 5 s' };

test.each<[string, () => unknown]>([
  ['itself', () => guestOsInfoShape(create(GetGuestInfoResponseSchema, { agentStatus: never }), users, filesystems)],
  ['users', () => userListShape(create(GetUsersResponseSchema, { status: never }))],
  ['filesystems', () => filesystemListShape(create(GetFilesystemsResponseSchema, { status: never }))],
])('an agent that was never heard about %s is unavailable, not empty', (what, shape) => {
  expect(shape).toThrow(
    new HttpError(
      503,
      `the guest agent has not answered yet about ${what} (the agent did not answer within 5 s); try again`,
    ),
  );
  expect(() => userListShape(create(GetUsersResponseSchema))).toThrow('has not answered yet');
});

test('answers that are empty or old are shown', () => {
  expect(userListShape(create(GetUsersResponseSchema, { status: answered })).items).toEqual([]);
  const old = create(GetUsersResponseSchema, { users: [{ name: 'a' }], status: { state: AnswerState.STALE } });
  expect(userListShape(old).items).toEqual([{ userName: 'a' }]);
});

test('what is not known of filesystems is left out', () => {
  const list = { filesystems: [{ diskName: 'vda', mountPoint: '/', type: 'ext4' }], status: answered };
  expect(filesystemListShape(create(GetFilesystemsResponseSchema, list)).items).toEqual([
    { diskName: 'vda', mountPoint: '/', fileSystemType: 'ext4' },
  ]);
  const info = create(GetGuestInfoResponseSchema, { agentVersion: '10.0', agentStatus: answered });
  const shape = guestOsInfoShape(info, users, create(GetFilesystemsResponseSchema, { status: never }));
  expect(shape).not.toHaveProperty('fsInfo');
});
