import type { VirtualMachineInstance } from '../types.ts';
import { causes, config, domain } from './testing/causes.ts';
import { validateVirtualMachineInstance } from './vmi.ts';

test.each<[string, object]>([
  ['memory alone', {}],
  [
    'a container disk with cloud-init',
    {
      volumes: [
        { name: 'root', containerDisk: { image: 'a:1' } },
        { name: 'init', cloudInitNoCloud: { userDataBase64: 'I2Nsb3VkLWNvbmZpZw==' } },
      ],
      domain: domain({
        devices: {
          disks: [
            { name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 },
            { name: 'init', cdrom: {} },
          ],
        },
      }),
    },
  ],
  [
    'a kernel from an image',
    {
      domain: domain({
        firmware: { kernelBoot: { kernelArgs: 'quiet', container: { image: 'k:1', kernelPath: '/vmlinuz' } } },
      }),
    },
  ],
])('%s is accepted', (_, spec) => {
  expect(causes(spec)).toEqual([]);
});

test('every message names its field', () => {
  const vmi: VirtualMachineInstance = {
    metadata: { name: 'x' },
    spec: { terminationGracePeriodSeconds: -1, domain: { devices: { disks: [{ name: 'a' }, { name: 'a' }] } } },
  };
  const found = validateVirtualMachineInstance(vmi, config, { operation: 'CREATE' });
  expect(found.length).toBeGreaterThan(3);
  for (const { field, message } of found) expect(message.startsWith(field)).toBe(true);
});

test('a volume that nothing shows is refused when it was not given a disk', () => {
  const vmi = {
    metadata: { name: 'x' },
    spec: { domain: domain(), volumes: [{ name: 'a', emptyDisk: { capacity: 1 } }] },
  };
  const found = validateVirtualMachineInstance(vmi, config, { operation: 'CREATE' });
  expect(found.map(({ field }) => field)).toEqual(['spec.volumes[0].name']);
});

test('a new instance does not choose its node', () => {
  const vmi = { metadata: { name: 'x', labels: { 'kubevirt.io/nodeName': 'n1' } }, spec: { domain: domain() } };
  const fields = (byProduct: boolean) =>
    validateVirtualMachineInstance(vmi, config, { operation: 'CREATE', byProduct }).map(({ field }) => field);
  expect(fields(false)).toEqual(['metadata.labels[kubevirt.io/nodeName]']);
  expect(fields(true)).toEqual([]);
});

describe('update', () => {
  const old: VirtualMachineInstance = {
    metadata: { name: 'x', labels: { 'kubevirt.io/nodeName': 'n1' } },
    spec: { domain: domain() },
  };
  const fields = (vmi: VirtualMachineInstance, byProduct = false) =>
    validateVirtualMachineInstance(vmi, config, { operation: 'UPDATE', old, byProduct }).map(({ field }) => field);

  test('nobody but the product changes the spec of a run', () => {
    const changed = { ...old, spec: { ...old.spec, terminationGracePeriodSeconds: 1 } };
    expect(fields(changed)).toEqual(['spec']);
    expect(fields(changed, true)).toEqual([]);
  });

  test('nobody but the product changes the labels that route an instance', () => {
    const moved = { ...old, metadata: { name: 'x', labels: { 'kubevirt.io/nodeName': 'n2' } } };
    const stripped = { ...old, metadata: { name: 'x' } };
    expect(fields(moved)).toEqual(['metadata.labels[kubevirt.io/nodeName]']);
    expect(fields(stripped)).toEqual(['metadata.labels[kubevirt.io/nodeName]']);
    expect(fields(moved, true)).toEqual([]);
  });

  test('other labels and annotations are free', () => {
    const labels = { ...old.metadata.labels, mine: 'x' };
    expect(fields({ ...old, metadata: { ...old.metadata, labels, annotations: { a: 'b' } } })).toEqual([]);
  });
});
