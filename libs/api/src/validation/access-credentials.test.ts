import { causes } from './testing/causes.ts';

const source = { secret: { secretName: 's' } };
const key = (propagationMethod: object, more: object = {}) => ({
  accessCredentials: [{ sshPublicKey: { source, propagationMethod, ...more } }],
});
const A = 'spec.accessCredentials[0]';

test.each<[string, object, string]>([
  ['of no kind', { accessCredentials: [{}] }, `Required ${A}`],
  [
    'of two kinds',
    {
      accessCredentials: [
        {
          sshPublicKey: { source, propagationMethod: { qemuGuestAgent: { users: ['u'] } } },
          userPassword: { source, propagationMethod: { qemuGuestAgent: {} } },
        },
      ],
    },
    `Invalid ${A}`,
  ],
  ['from nowhere', key({ qemuGuestAgent: { users: ['u'] } }, { source: {} }), `Required ${A}.sshPublicKey.source`],
  [
    'from a secret without a name',
    key({ qemuGuestAgent: { users: ['u'] } }, { source: { secret: { secretName: '' } } }),
    `Required ${A}.sshPublicKey.source.secret.secretName`,
  ],
  ['by no way', key({}), `Required ${A}.sshPublicKey.propagationMethod`],
  ['by two ways', key({ noCloud: {}, configDrive: {} }), `Invalid ${A}.sshPublicKey.propagationMethod`],
  ['by a disk that is not there', key({ noCloud: {} }), `Invalid ${A}.sshPublicKey.propagationMethod.noCloud`],
  [
    'by the disk of another format',
    { ...key({ configDrive: {} }), volumes: [{ name: 'a', cloudInitNoCloud: { userData: 'x' } }] },
    `Invalid ${A}.sshPublicKey.propagationMethod.configDrive`,
  ],
  [
    'for nobody',
    key({ qemuGuestAgent: { users: [] } }),
    `Required ${A}.sshPublicKey.propagationMethod.qemuGuestAgent.users`,
  ],
  [
    'for a user without a name',
    key({ qemuGuestAgent: { users: [''] } }),
    `Required ${A}.sshPublicKey.propagationMethod.qemuGuestAgent.users[0]`,
  ],
  [
    'as a password by no way',
    { accessCredentials: [{ userPassword: { source, propagationMethod: {} } }] },
    `Required ${A}.userPassword.propagationMethod`,
  ],
])('a credential %s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});
