import { fieldName, messageName } from './proto-names.ts';

/** Field numbers by message and JSON name. A number once given is never given to another field. */
export type Lock = Record<string, Record<string, number>>;

export interface ProtoFile {
  text: string;
  lock: Lock;
}

export interface ProtoRequest {
  package: string;
  message: string;
  schema: object;
  comment: string[];
  lock: Lock;
}

interface Schema {
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  'x-kubernetes-int-or-string'?: boolean;
}

/** A proto3 file with one message that nests all others, as the properties of an object schema nest. */
export function protoFile(request: ProtoRequest): ProtoFile {
  const lock: Lock = {};
  const body = message(request.schema, request.message, request.message, request.lock, lock, '');
  const comment = request.comment.map((line) => `// ${line}`.trimEnd());
  const text = [...comment, 'syntax = "proto3";', '', `package ${request.package};`, '', ...body, ''].join('\n');
  // A message that is gone keeps its numbers, should it come back.
  return { text, lock: sorted({ ...request.lock, ...lock }) };
}

function message(schema: Schema, name: string, path: string, before: Lock, after: Lock, indent: string): string[] {
  const properties = schema.properties ?? {};
  const numbers = numberFields(Object.keys(properties), before[path] ?? {});
  after[path] = numbers;
  const inner = `${indent}  `;
  const nested: string[] = [];
  const fields: [number, string[]][] = [];
  for (const [json, field] of Object.entries(properties)) {
    const type = fieldType(field, json, (item) => {
      const child = messageName(json, field.type === 'array');
      nested.push(...message(item, child, `${path}.${child}`, before, after, inner), '');
      return child;
    });
    fields.push([numbers[json] as number, fieldLines(json, type, numbers[json] as number, field.description, inner)]);
  }
  const gone = Object.entries(numbers).filter(([json]) => !(json in properties));
  const body = [
    ...gone.map(([json, number]) => `${inner}reserved ${number}; // ${json}`),
    ...nested,
    ...fields.sort(([a], [b]) => a - b).flatMap(([, text]) => text),
  ];
  const head = [...commentLines(schema.description, indent), `${indent}message ${name} {`];
  if (body.length === 0) return [...head.slice(0, -1), `${head.at(-1)}}`];
  return [...head, ...body, `${indent}}`];
}

function fieldType(field: Schema, json: string, nest: (schema: Schema) => string): string {
  if (field.type === 'array') return `repeated ${single(field.items ?? {}, json, nest)}`;
  if (field.additionalProperties) return `map<string, ${single(field.additionalProperties, json, nest)}>`;
  return `optional ${single(field, json, nest)}`;
}

const SCALARS: Record<string, string> = { string: 'string', boolean: 'bool', integer: 'int32' };

function single(schema: Schema, json: string, nest: (schema: Schema) => string): string {
  if (schema['x-kubernetes-int-or-string']) return 'string';
  if (schema.type === 'object' && schema.properties) return nest(schema);
  const scalar = SCALARS[schema.type ?? ''];
  if (scalar !== undefined) return scalar;
  throw new Error(`${json}: a schema of type ${schema.type} has no protobuf type`);
}

function fieldLines(json: string, type: string, number: number, description: string | undefined, indent: string) {
  const { name, needsJsonName } = fieldName(json);
  const option = needsJsonName ? ` [json_name = "${json}"]` : '';
  return [...commentLines(description, indent), `${indent}${type} ${name} = ${number}${option};`];
}

function commentLines(text: string | undefined, indent: string): string[] {
  return text ? [`${indent}// ${text}`] : [];
}

function numberFields(names: string[], before: Record<string, number>): Record<string, number> {
  const numbers = { ...before };
  let next = Math.max(0, ...Object.values(before)) + 1;
  for (const name of names) numbers[name] ??= next++;
  return numbers;
}

function sorted(lock: Lock): Lock {
  return Object.fromEntries(Object.entries(lock).sort(([a], [b]) => (a < b ? -1 : 1)));
}
