/** A node of an openAPIV3Schema that is structural in the sense of CustomResourceDefinitions. */
export interface StructuralSchema {
  type?: string;
  format?: string;
  description?: string;
  nullable?: boolean;
  default?: unknown;
  pattern?: string;
  maxItems?: number;
  anyOf?: { type: string }[];
  properties?: Record<string, StructuralSchema>;
  required?: string[];
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

const KEYWORDS = new Set([
  'type',
  'format',
  'description',
  'nullable',
  'default',
  'pattern',
  'maxItems',
  'anyOf',
  'required',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
]);

/**
 * The schema as the API server takes it: only keywords it knows, properties and required names in order of the
 * alphabet so that the output only changes when the schema does, no empty descriptions.
 */
export function structuralSchema(schema: object): StructuralSchema {
  const source = schema as StructuralSchema & Record<string, unknown>;
  const out: StructuralSchema & Record<string, unknown> = {};
  for (const [key, value] of Object.entries(source)) {
    if (key === 'properties' || key === 'items' || key === 'additionalProperties') continue;
    if (!KEYWORDS.has(key)) throw new Error(`schema keyword ${key} has no place in a CRD`);
    if (value !== '') out[key] = value;
  }
  if (source.required) out.required = [...source.required].sort();
  if (source.items) out.items = structuralSchema(source.items);
  if (source.additionalProperties) out.additionalProperties = structuralSchema(source.additionalProperties);
  if (source.properties && Object.keys(source.properties).length > 0) {
    out.properties = Object.fromEntries(
      Object.entries(source.properties)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, property]) => [name, structuralSchema(property)]),
    );
  }
  return out;
}
