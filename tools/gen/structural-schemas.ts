import { type StructuralSchema, structuralSchema } from '../../libs/api/src/schemas/index.ts';
import { KINDS } from './crd-kinds.ts';

export const STRUCTURAL_SCHEMAS_PATH = 'libs/api/src/gen/structural-schemas.ts';

/** The schemas of the CRDs as data, so that a service validates without loading what they are written in. */
export function structuralSchemasModule(): string {
  const members = KINDS.map(({ kind, schema }) => {
    const bare = withoutProse({ ...structuralSchema(schema), required: ['spec'] });
    return `  ${kind}: ${JSON.stringify(bare)},\n`;
  });
  return [
    '// Generated from the schemas in libs/api by `npm run gen`; do not edit.\n',
    '/** By kind: the openAPIV3Schema of the CRD, without descriptions. */\n',
    `export const STRUCTURAL_SCHEMAS = {\n${members.join('')}};\n`,
  ].join('');
}

function withoutProse(schema: StructuralSchema): StructuralSchema {
  const { description: _, default: __, ...rest } = schema;
  const out: StructuralSchema = { ...rest };
  if (schema.items) out.items = withoutProse(schema.items);
  if (schema.additionalProperties) out.additionalProperties = withoutProse(schema.additionalProperties);
  if (schema.properties) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, withoutProse(property)]),
    );
  }
  return out;
}
