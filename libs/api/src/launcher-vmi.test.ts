import { launcherVmi, QUANTITY_PATHS, SECONDS_PATHS } from './launcher-vmi.ts';
import { LauncherVmiSchema } from './schemas/index.ts';
import type { StructuralSchema } from './schemas/structural.ts';
import type { VirtualMachineInstance } from './types.ts';

const vmi: VirtualMachineInstance = {
  metadata: { name: 'demo', namespace: 'shop', uid: 'u' },
  spec: {
    terminationGracePeriodSeconds: 9_999_999_999,
    domain: {
      memory: { guest: 134_217_728 },
      resources: { requests: { cpu: 1, memory: '128Mi' } },
      devices: { disks: [{ name: 'a', disk: { bus: 'virtio' } }] },
    },
    volumes: [
      { name: 'a', emptyDisk: { capacity: 1024 } },
      { name: 'b', containerDisk: { image: 'x' } },
    ],
  },
  status: { phase: 'Running' },
};

test('quantities become strings, endless seconds become many, the status stays behind', () => {
  expect(launcherVmi(vmi)).toEqual({
    metadata: vmi.metadata,
    spec: {
      terminationGracePeriodSeconds: 2_147_483_647,
      domain: {
        memory: { guest: '134217728' },
        resources: { requests: { cpu: '1', memory: '128Mi' } },
        devices: { disks: [{ name: 'a', disk: { bus: 'virtio' } }] },
      },
      volumes: [
        { name: 'a', emptyDisk: { capacity: '1024' } },
        { name: 'b', containerDisk: { image: 'x' } },
      ],
    },
  });
});

test('its argument stays as it is, and what need not change is shared', () => {
  const before = structuredClone(vmi);
  const after = launcherVmi(vmi);
  expect(vmi).toEqual(before);
  expect(after.spec.domain.devices).toBe(vmi.spec.domain.devices);
});

test('the paths are those of the schema', () => {
  const isQuantity = (schema: StructuralSchema) => schema['x-kubernetes-int-or-string'] === true;
  const isWide = (schema: StructuralSchema) => schema.format === 'int64';
  expect(pathsOf(LauncherVmiSchema as StructuralSchema, isQuantity)).toEqual([...QUANTITY_PATHS]);
  expect(pathsOf(LauncherVmiSchema as StructuralSchema, isWide)).toEqual([...SECONDS_PATHS]);
});

function pathsOf(schema: StructuralSchema, wanted: (schema: StructuralSchema) => boolean): string[] {
  const found: string[] = [];
  const walk = (node: StructuralSchema, path: string[]): void => {
    if (wanted(node)) found.push(path.join('.'));
    for (const [name, property] of Object.entries(node.properties ?? {})) walk(property, [...path, name]);
    const inner = node.items ?? node.additionalProperties;
    if (inner) walk(inner, [...path, '*']);
  };
  walk(schema, []);
  return found.sort();
}
