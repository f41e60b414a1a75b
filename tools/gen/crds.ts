import { stringify } from 'yaml';
import { structuralSchema } from '../../libs/api/src/schemas/index.ts';
import { type CrdKind, KINDS } from './crd-kinds.ts';
import { STRUCTURAL_SCHEMAS_PATH, structuralSchemasModule } from './structural-schemas.ts';
import { writeIfChanged } from './write.ts';

const GROUP = 'kubevirt.io';
const HEADER = '# Generated from the schemas in libs/api by `npm run gen`; do not edit.\n';

interface Version {
  name: string;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
}

const VERSIONS: Version[] = [
  { name: 'v1', storage: true },
  {
    name: 'v1alpha3',
    storage: false,
    deprecated: true,
    deprecationWarning: 'kubevirt.io/v1alpha3 is deprecated, use kubevirt.io/v1 instead',
  },
];

/** The CustomResourceDefinition of a kind. Both versions have one schema, so none needs conversion. */
export function customResourceDefinition(kind: CrdKind): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${kind.plural}.${GROUP}`,
      labels: { 'app.kubernetes.io/part-of': 'yagura', 'kubevirt.io': '' },
    },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: ['all'],
      },
      conversion: { strategy: 'None' },
      versions: VERSIONS.map((version) => ({
        ...version,
        served: true,
        ...(kind.status ? { subresources: { status: {} } } : {}),
        additionalPrinterColumns: kind.columns,
        // The API server sees to metadata itself.
        schema: { openAPIV3Schema: { ...structuralSchema(kind.schema), required: ['spec'] } },
      })),
    },
  };
}

/** Path and content of what is generated: a chart file a kind, and the schemas for validation. */
export function crdFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const kind of KINDS) {
    const yaml = stringify(customResourceDefinition(kind), { lineWidth: 0, aliasDuplicateObjects: false });
    files.set(`charts/yagura/crds/${kind.plural}.yaml`, HEADER + yaml);
  }
  return files.set(STRUCTURAL_SCHEMAS_PATH, structuralSchemasModule());
}

/** Writes them; returns the paths that changed. */
export async function generate(): Promise<string[]> {
  const changed: string[] = [];
  for (const [path, content] of crdFiles()) changed.push(...(await writeIfChanged(path, content)));
  return changed;
}

if (import.meta.main) for (const path of await generate()) console.log(path);
