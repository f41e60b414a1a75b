import fc, { type Arbitrary } from 'fast-check';
import type { StructuralSchema } from '../../libs/api/src/schemas/index.ts';

/** Any object that a schema allows; what is optional is there half of the time. */
export function arbitraryOf(schema: StructuralSchema): Arbitrary<unknown> {
  if (schema['x-kubernetes-int-or-string'])
    return fc.oneof(
      fc.nat(),
      fc.nat().map((size) => `${size}Mi`),
    );
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return schema.format === 'int64' ? fc.integer({ min: 0, max: 2 ** 31 - 1 }) : fc.integer();
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), { maxLength: 3, minLength: 1 });
    case 'object':
      return schema.additionalProperties
        ? fc.dictionary(fc.string({ minLength: 1 }).filter(isPlain), arbitraryOf(schema.additionalProperties), {
            minKeys: 1,
            maxKeys: 3,
          })
        : arbitraryObject(schema);
    default:
      return fc.string();
  }
}

function arbitraryObject(schema: StructuralSchema): Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, arbitraryOf(property)]);
  return fc.record(Object.fromEntries(properties) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: schema.required ?? [],
    noNullPrototype: true,
  });
}

// JavaScript's own trap, not ours: an object cannot have a plain member of this name.
const isPlain = (name: string) => name !== '__proto__';
