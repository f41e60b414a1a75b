import fc from 'fast-check';
import { type JsonPatchOperation, jsonPatch, pointerToken } from './json-patch.ts';

test('what is the same is not touched', () => {
  expect(jsonPatch({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
});

test('only what differs is touched', () => {
  const before = { metadata: { name: 'a', labels: { 'x/y': '1', 'a~b': '2' } }, spec: { disks: [{ name: 'r' }] } };
  const after = {
    metadata: { name: 'a', labels: { 'x/y': '3' } },
    spec: { disks: [{ name: 'r', bus: 'sata' }, { name: 's' }] },
  };
  expect(jsonPatch(before, after)).toEqual([
    { op: 'remove', path: '/metadata/labels/a~0b' },
    { op: 'replace', path: '/metadata/labels/x~1y', value: '3' },
    { op: 'add', path: '/spec/disks/0/bus', value: 'sata' },
    { op: 'add', path: '/spec/disks/-', value: { name: 's' } },
  ]);
});

test('a member may be called like one that every object has', () => {
  expect(jsonPatch({ toString: 1 }, { constructor: 2 })).toEqual([
    { op: 'remove', path: '/toString' },
    { op: 'add', path: '/constructor', value: 2 },
  ]);
});

test('an undefined member is an absent one', () => {
  expect(jsonPatch({ a: undefined, b: 1 }, { b: 1, c: undefined })).toEqual([]);
});

test('the patch makes the one into the other', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => ({ root: value }));
  fc.assert(
    fc.property(json, json, (before, after) => {
      expect(apply(structuredClone(before), jsonPatch(before, after))).toEqual(after);
    }),
  );
});

test('a pointer token survives its escaping', () => {
  expect(pointerToken('a/b~c')).toBe('a~1b~0c');
});

/** The part of RFC 6902 that is used. */
function apply(document: unknown, operations: JsonPatchOperation[]): unknown {
  const holder = { '': document } as Record<string, unknown>;
  for (const operation of operations) {
    const tokens = operation.path.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = tokens.pop() as string;
    const parent = tokens.reduce<Record<string, unknown>>((at, token) => at[token] as Record<string, unknown>, holder);
    if (operation.op === 'remove') {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
    } else if (Array.isArray(parent)) {
      if (last === '-') parent.push(operation.value);
      else parent[Number(last)] = operation.value;
    } else {
      Object.defineProperty(parent, last, {
        value: operation.value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  return holder[''];
}
