import type { VirtualMachineInstance } from '@yagura/api';
import { configDriveFiles, noCloudFiles } from './cloud-init.ts';

const vmi = {
  metadata: { name: 'demo.example', namespace: 'default', uid: 'u-1' },
  spec: { domain: { devices: {} } },
} as unknown as VirtualMachineInstance;
const nothing = { userData: undefined, networkData: undefined };

describe('the NoCloud seed', () => {
  test('names the machine by its firmware, else by its instance, and its host by the first label', () => {
    const files = noCloudFiles(vmi, { userData: '#cloud-config\na: 1\n' }, nothing, 'f');
    expect(JSON.parse(String(files['meta-data']))).toEqual({ 'instance-id': 'u-1', 'local-hostname': 'demo' });
    const firmware = { ...vmi, spec: { domain: { devices: {}, firmware: { uuid: 'fw' } }, hostname: 'given' } };
    const meta = noCloudFiles(firmware, { userData: 'x' }, nothing, 'f')['meta-data'];
    expect(JSON.parse(String(meta))).toEqual({ 'instance-id': 'fw', 'local-hostname': 'given' });
    expect(files).not.toHaveProperty('network-config');
  });

  test.each<
    [
      what: string,
      source: Parameters<typeof noCloudFiles>[1],
      mounted: typeof nothing | object,
      data: string,
      network: string | undefined,
    ]
  >([
    ['inline', { userData: 'u', networkData: 'n' }, {}, 'u', 'n'],
    ['in base64', { userDataBase64: 'w7w=', networkDataBase64: 'bg==' }, {}, 'ü', 'n'],
    [
      'from secrets',
      { secretRef: { name: 's' }, networkDataSecretRef: { name: 't' } },
      { userData: Buffer.from('u'), networkData: Buffer.from('n') },
      'u',
      'n',
    ],
    ['of the network alone', { networkData: 'n' }, {}, '#cloud-config\n', 'n'],
    ['of the user alone', { userData: 'u' }, {}, 'u', undefined],
  ])('holds data %s', (_, source, mounted, data, network) => {
    const files = noCloudFiles(vmi, source, { ...nothing, ...mounted }, 'f');
    expect([files['user-data'], files['network-config']].map((file) => file?.toString())).toEqual([data, network]);
  });

  test('carries the SSH keys of the access credentials', () => {
    const mounted = { ...nothing, publicKeys: ['ssh-ed25519 A', 'ssh-ed25519 B'] };
    const keys = { 'key-0': 'ssh-ed25519 A', 'key-1': 'ssh-ed25519 B' };
    const seed = noCloudFiles(vmi, { userData: 'x' }, mounted, 'f');
    expect(JSON.parse(String(seed['meta-data']))).toMatchObject({ 'public-keys': keys });
    const drive = configDriveFiles(vmi, { userData: 'x' }, mounted, 'f');
    expect(JSON.parse(String(drive['openstack/latest/meta_data.json']))).toMatchObject({ public_keys: keys });
  });

  test('names the field of a secret that is not there', () => {
    expect(() => noCloudFiles(vmi, { secretRef: { name: 's' } }, nothing, 'spec.volumes[0].cloudInitNoCloud')).toThrow(
      'spec.volumes[0].cloudInitNoCloud.secretRef: secret "s" holds no such data',
    );
  });
});
