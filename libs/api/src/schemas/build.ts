import { type TObject, type TOptional, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';

/**
 * The vocabulary every schema of this folder is written in. One definition feeds four readers: the static types,
 * the CRDs (OpenAPI v3, structural), ajv, and the launcher's protobuf message. So only shapes that all four can
 * express are offered here.
 */

/** A Kubernetes quantity as it stands in JSON: `"128Mi"`, `"2"`, or a plain number. */
export type Quantity = string | number;

/** A port or percentage as it stands in JSON: a number or a string. */
export type IntOrString = string | number;

type Optionals<O extends TProperties> = { [K in keyof O]: TOptional<O[K]> };
export type ObjectOf<O extends TProperties, R extends TProperties> = TObject<R & Optionals<O>>;

// The empty object type is right here: "no required properties".
type None = Record<never, never>;

/** An object: optional properties first, because nearly all of them are; then the required ones. */
export function object<O extends TProperties, R extends TProperties = None>(
  description: string,
  optional: O,
  required?: R,
): ObjectOf<O, R> {
  const properties: TProperties = { ...required };
  for (const [name, schema] of Object.entries(optional)) properties[name] = Type.Optional(schema);
  return Type.Object(properties, { description }) as unknown as ObjectOf<O, R>;
}

/** An object whose presence is the whole message, such as `masquerade: {}`. */
export function marker(description: string): ObjectOf<None, None> {
  return object(description, {});
}

/** The same shape with another description, for a schema used in several places. */
export function doc<T extends TSchema>(description: string, schema: T): T {
  return { ...schema, description };
}

/** The same shape with further schema keywords. */
export function also<T extends TSchema>(schema: T, keywords: { nullable?: boolean; default?: unknown }): T {
  return { ...schema, ...keywords };
}

export function str(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', description });
}

export function bool(description: string): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', description });
}

export function int32(description: string): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', format: 'int32', description });
}

/** 64 bits in the API server and in protobuf; exact in JavaScript up to 2^53. */
export function int64(description: string): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', format: 'int64', description });
}

/** RFC 3339 text; a controller written in Go sends `null` for an unset one, so null is accepted everywhere. */
export function time(description: string): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: 'string', format: 'date-time', nullable: true, description });
}

/**
 * A word of a known set. The set narrows the static type and is told by the description; it is enforced by the
 * validating webhook, which can say more than a CRD enum, and not by the CRD, so that a newer word in a stored
 * object never makes that object unwritable.
 */
export function oneOf<const V extends string>(description: string, values: readonly V[]): TUnsafe<V> {
  return Type.Unsafe<V>({ type: 'string', description: `${description} One of: ${values.join(', ')}.` });
}

const QUANTITY_PATTERN =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

export function quantity(description: string): TUnsafe<Quantity> {
  return Type.Unsafe<Quantity>({
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: QUANTITY_PATTERN,
    'x-kubernetes-int-or-string': true,
    description,
  });
}

export function intOrString(description: string): TUnsafe<IntOrString> {
  return Type.Unsafe<IntOrString>({
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    description,
  });
}

export function list<T extends TSchema>(description: string, items: T, bounds: { maxItems?: number } = {}) {
  return Type.Array(items, { description, ...bounds });
}

export function map<T extends TSchema>(description: string, values: T) {
  return Type.Unsafe<Record<string, Type.Static<T>>>({ type: 'object', additionalProperties: values, description });
}

export const strings = (description: string) => list(description, str(''));
export const stringMap = (description: string) => map(description, str(''));
export const quantityMap = (description: string) => map(description, quantity(''));

/** JSON that belongs to another API: kept as it is, not validated here, given the static type the caller names. */
export function freeForm<T>(description: string): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true });
}

/** `metadata` of a top-level object: the API server owns its schema. */
export function objectMeta<T>(): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'object' });
}
