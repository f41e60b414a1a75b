import { agentCredentials, cloudInitKeys, credentialCommands } from './access-credentials.ts';
import type { AccessCredential } from './types.ts';

const source = { secret: { secretName: 's' } };
const ssh = (propagationMethod: NonNullable<AccessCredential['sshPublicKey']>['propagationMethod']) => ({
  sshPublicKey: { source, propagationMethod },
});
const accessCredentials: AccessCredential[] = [
  ssh({ noCloud: {} }),
  ssh({ qemuGuestAgent: { users: ['ann', 'bob'] } }),
  ssh({ configDrive: {} }),
  { userPassword: { source, propagationMethod: { qemuGuestAgent: {} } } },
];

test('each credential goes its own way, and is known by its place', () => {
  const spec = { accessCredentials };
  expect(agentCredentials(spec)).toEqual([
    { kind: 'ssh', index: 1, users: ['ann', 'bob'] },
    { kind: 'password', index: 3 },
  ]);
  expect([cloudInitKeys(spec, 'noCloud'), cloudInitKeys(spec, 'configDrive')]).toEqual([[0], [2]]);
});

test('only what the agent does needs commands of it', () => {
  expect(credentialCommands({ accessCredentials: accessCredentials.slice(0, 1) })).toEqual([]);
  expect(credentialCommands({ accessCredentials: accessCredentials.slice(3) })).toEqual(['guest-set-user-password']);
  expect(credentialCommands({ accessCredentials })).toHaveLength(3);
});
