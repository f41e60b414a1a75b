import { own } from './own.ts';

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string };

/** A patch that makes `before` into `after`: it touches what differs and nothing else. */
export function jsonPatch(before: unknown, after: unknown): JsonPatchOperation[] {
  return difference(before, after, '');
}

/** A member name as part of a JSON pointer. */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function difference(before: unknown, after: unknown, path: string): JsonPatchOperation[] {
  if (Array.isArray(before) && Array.isArray(after)) return listDifference(before, after, path);
  if (isObject(before) && isObject(after)) return objectDifference(before, after, path);
  return Object.is(before, after) ? [] : [{ op: 'replace', path, value: after }];
}

function objectDifference(before: JsonObject, after: JsonObject, path: string): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const key of Object.keys(before)) {
    if (own(before, key) !== undefined && own(after, key) === undefined) {
      operations.push({ op: 'remove', path: `${path}/${pointerToken(key)}` });
    }
  }
  for (const [key, value] of Object.entries(after)) {
    const at = `${path}/${pointerToken(key)}`;
    if (value === undefined) continue;
    const old = own(before, key);
    if (old === undefined) operations.push({ op: 'add', path: at, value });
    else operations.push(...difference(old, value, at));
  }
  return operations;
}

/** Element by element, the surplus cut from the end: right for the lists here, which grow at their end. */
function listDifference(before: unknown[], after: unknown[], path: string): JsonPatchOperation[] {
  const common = Math.min(before.length, after.length);
  const operations: JsonPatchOperation[] = [];
  for (let index = 0; index < common; index++) {
    operations.push(...difference(before[index], after[index], `${path}/${index}`));
  }
  for (let index = before.length - 1; index >= common; index--)
    operations.push({ op: 'remove', path: `${path}/${index}` });
  for (const value of after.slice(common)) operations.push({ op: 'add', path: `${path}/-`, value });
  return operations;
}

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
