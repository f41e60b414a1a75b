import { STRUCTURAL_SCHEMAS } from '../gen/structural-schemas.ts';
import { own } from '../own.ts';
import { isQuantity } from '../quantity.ts';
import type { StructuralSchema } from '../schemas/structural.ts';
import { type Cause, Report } from './report.ts';

export type CheckedKind = keyof typeof STRUCTURAL_SCHEMAS;

/**
 * What an object has that its kind does not: values of another type, required fields that are missing. The same that
 * the API server finds by the CRD; but a mutating webhook is called before that. Unknown fields are left alone.
 */
export function checkStructure(kind: CheckedKind, object: unknown): Cause[] {
  const report = new Report();
  check(object, STRUCTURAL_SCHEMAS[kind], '', report, undefined);
  if (hasType(object, 'object'))
    check((object as { metadata?: unknown }).metadata, METADATA, 'metadata', report, undefined);
  return report.causes;
}

/** Paths of fields that the kind does not have: misspelt ones, which the API server warns of and drops. */
export function unknownFields(kind: CheckedKind, object: unknown): string[] {
  const unknown: string[] = [];
  check(object, STRUCTURAL_SCHEMAS[kind], '', new Report(), unknown);
  return unknown;
}

/** What is read of metadata; the API server has checked all of it before anybody is asked. */
const METADATA: StructuralSchema = {
  properties: {
    name: { type: 'string' },
    labels: { nullable: true, additionalProperties: { type: 'string' } },
    annotations: { nullable: true, additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', nullable: true, items: { type: 'string' } },
  },
};

function check(
  value: unknown,
  schema: StructuralSchema,
  field: string,
  report: Report,
  unknown: string[] | undefined,
): void {
  if (value === null && schema.nullable) return;
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof value !== 'string' && !Number.isSafeInteger(value)) wrongType(field, 'integer or string', value, report);
    else if (typeof value === 'string' && schema.pattern && !isQuantity(value)) {
      report.invalid(field, `is "${value}", which is not a quantity like 128Mi, 2G or 500m`);
    }
    return;
  }
  const type = schema.type ?? 'object';
  if (!hasType(value, type)) {
    wrongType(field || 'the object', type, value, report);
  } else if (type === 'integer' && !fits(value as number, schema.format)) {
    report.invalid(field, `is ${String(value)}, which is beyond what ${schema.format ?? 'a number'} holds`);
  } else if (Array.isArray(value)) {
    if (schema.maxItems !== undefined && value.length > schema.maxItems) {
      report.invalid(field, `has ${value.length} entries; at most ${schema.maxItems} are possible`);
    }
    const { items } = schema;
    if (items) value.forEach((item, index) => check(item, items, `${field}[${index}]`, report, unknown));
  } else if (type === 'object') {
    checkObject(value as Record<string, unknown>, schema, field, report, unknown);
  }
}

function checkObject(
  value: Record<string, unknown>,
  schema: StructuralSchema,
  field: string,
  report: Report,
  unknown: string[] | undefined,
): void {
  const at = (name: string) => (field ? `${field}.${name}` : name);
  for (const name of schema.required ?? []) {
    if (own(value, name) === undefined) report.required(at(name), 'is missing');
  }
  // The API server sees to metadata itself.
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true || field === 'metadata';
  for (const [name, member] of Object.entries(value)) {
    const next = own(schema.properties, name) ?? schema.additionalProperties;
    if (member === undefined) continue;
    if (next) check(member, next, at(name), report, unknown);
    else if (!open) unknown?.push(at(name));
  }
}

const INT32 = 2 ** 31;

/** 64-bit numbers as far as every client has them exactly. */
function fits(value: number, format: string | undefined): boolean {
  return format === 'int32' ? value >= -INT32 && value < INT32 : Number.isSafeInteger(value);
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function wrongType(field: string, wanted: string, value: unknown, report: Report): void {
  const found = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  report.invalid(field, `must be of type ${wanted}, not ${found}`);
}
