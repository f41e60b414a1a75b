import { kubevirtConfig } from '../config.ts';
import type { VirtualMachineInstance } from '../types.ts';
import { domain } from './testing/causes.ts';
import { validateVirtualMachineInstance } from './vmi.ts';

const vmi = {
  metadata: { name: 'x' },
  spec: {
    domain: domain({ devices: { disks: [{ name: 'a', disk: { bus: 'virtio' } }] } }),
    volumes: [{ name: 'a', hostDisk: { path: '/a.img', type: 'Disk' } }],
  },
} as VirtualMachineInstance;

test.each<[string, string[], boolean]>([
  ['off', [], true],
  ['on', ['HostDisk'], false],
])('a field whose gate is %s', (_what, featureGates, refused) => {
  const config = kubevirtConfig({
    metadata: { name: 'kubevirt' },
    spec: { configuration: { developerConfiguration: { featureGates } } },
  });
  const messages = validateVirtualMachineInstance(vmi, config, { operation: 'CREATE' }).map(({ message }) => message);
  expect(messages.some((message) => /spec.volumes\[0\].hostDisk needs the feature gate HostDisk/.test(message))).toBe(
    refused,
  );
  // What is stored stays changeable.
  expect(validateVirtualMachineInstance(vmi, config, { operation: 'UPDATE', old: vmi })).toEqual([]);
});
