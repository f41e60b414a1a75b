import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StructuralSchema } from '../../libs/api/src/schemas/index.ts';
import { type CrdKind, KINDS } from './crd-kinds.ts';
import { crdFiles, customResourceDefinition } from './crds.ts';
import { ROOT } from './write.ts';

interface Version {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  subresources?: { status?: object };
  additionalPrinterColumns: { name: string; jsonPath: string; priority?: number }[];
  schema: { openAPIV3Schema: StructuralSchema };
}
interface Definition {
  metadata: { name: string };
  spec: { names: { shortNames: string[]; categories: string[] }; versions: Version[] };
}

const definition = (kind: CrdKind) => customResourceDefinition(kind) as Definition;
const byKind = (kind: string) => definition(KINDS.find((candidate) => candidate.kind === kind) as CrdKind);

test.each([...crdFiles()])('%s is as the schemas say', (path, content) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(content);
});

test.each([
  ['VirtualMachine', 'virtualmachines', ['vm', 'vms'], true, ['Age', 'Status', 'Ready']],
  [
    'VirtualMachineInstance',
    'virtualmachineinstances',
    ['vmi', 'vmis'],
    false,
    ['Age', 'Phase', 'IP', 'NodeName', 'Ready', 'Live-Migratable+1', 'Paused+1'],
  ],
  ['VirtualMachineInstanceMigration', 'virtualmachineinstancemigrations', ['vmim', 'vmims'], true, ['Phase', 'VMI']],
  ['KubeVirt', 'kubevirts', ['kv', 'kvs'], true, ['Age', 'Phase']],
])('%s has the names, columns and subresources of the contract', (kind, plural, shortNames, status, columns) => {
  const { metadata, spec } = byKind(kind);
  expect(metadata.name).toBe(`${plural}.kubevirt.io`);
  expect(spec.names).toMatchObject({ shortNames, categories: ['all'] });
  expect(spec.versions.map(({ name, served, storage, deprecated }) => [name, served, storage, deprecated])).toEqual([
    ['v1', true, true, undefined],
    ['v1alpha3', true, false, true],
  ]);
  for (const version of spec.versions) {
    expect(version.subresources).toEqual(status ? { status: {} } : undefined);
    const named = version.additionalPrinterColumns.map(({ name, priority }) =>
      priority ? `${name}+${priority}` : name,
    );
    expect(named).toEqual(columns);
  }
});

test('a virtual machine is Stopped until someone knows better', () => {
  const { versions } = byKind('VirtualMachine').spec;
  const status = versions[0]?.schema.openAPIV3Schema.properties?.['status'];
  expect(status?.properties?.['printableStatus']).toMatchObject({ type: 'string', default: 'Stopped' });
});

/** Every node of a schema with its path. */
function* nodes(schema: StructuralSchema, path = ''): Generator<[string, StructuralSchema]> {
  yield [path, schema];
  if (schema.items) yield* nodes(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* nodes(schema.additionalProperties, `${path}{}`);
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* nodes(property, `${path}.${name}`);
}

describe.each(KINDS)('schema of $kind', (kind) => {
  const all = [...nodes(definition(kind).spec.versions[0]?.schema.openAPIV3Schema as StructuralSchema)];

  test('is structural: every node has a type, or is an int-or-string', () => {
    const untyped = all.filter(([, node]) => !node.type && !node['x-kubernetes-int-or-string']);
    expect(untyped.map(([path]) => path)).toEqual([]);
  });

  test('explains every field', () => {
    const mute = all.filter(([path, { description }]) => /\.\w+$/.test(path) && path !== '.metadata' && !description);
    expect(mute.map(([path]) => path)).toEqual([]);
  });

  test('leaves only what belongs to another API unchecked', () => {
    const open = all.filter(([, node]) => node['x-kubernetes-preserve-unknown-fields']).map(([path]) => path);
    const dataVolume = '.spec.dataVolumeTemplates[]';
    expect(open).toEqual(kind.kind === 'VirtualMachine' ? [`${dataVolume}.spec`, `${dataVolume}.status`] : []);
  });

  test('asks only for fields that it has', () => {
    for (const [path, { required, properties }] of all) {
      for (const name of required ?? [])
        expect([path, Object.keys(properties ?? {})]).toEqual([path, expect.arrayContaining([name])]);
    }
  });
});
