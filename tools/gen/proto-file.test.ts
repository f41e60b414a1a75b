import { type Lock, protoFile } from './proto-file.ts';
import { fieldName, messageName } from './proto-names.ts';

const text = { type: 'string', description: 'A word.' };
const make = (properties: object, lock: Lock = {}) =>
  protoFile({ package: 'p.v1', message: 'Thing', schema: { type: 'object', properties }, comment: ['Note.'], lock });

test('every shape of a schema has its type', () => {
  const { text: proto } = make({
    word: text,
    count: { type: 'integer', format: 'int64' },
    flag: { type: 'boolean' },
    size: { 'x-kubernetes-int-or-string': true },
    words: { type: 'array', items: { type: 'string' } },
    parts: { type: 'array', items: { type: 'object', properties: { hostIP: text } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    marker: { type: 'object', properties: {} },
  });
  expect(proto).toBe(`// Note.
syntax = "proto3";

package p.v1;

message Thing {
  message Part {
    // A word.
    optional string host_ip = 1 [json_name = "hostIP"];
  }

  message Marker {}

  // A word.
  optional string word = 1;
  optional int32 count = 2;
  optional bool flag = 3;
  optional string size = 4;
  repeated string words = 5;
  repeated Part parts = 6;
  map<string, string> labels = 7;
  optional Marker marker = 8;
}
`);
});

test('a number is never given twice: a field that goes leaves it reserved, and gets it back when it returns', () => {
  const first = make({ a: text, b: text });
  const without = make({ b: text, c: text }, first.lock);
  expect(without.lock).toEqual({ Thing: { a: 1, b: 2, c: 3 } });
  expect(without.text).toContain('reserved 1; // a');
  const again = make({ d: text, c: text, b: text, a: text }, without.lock);
  expect(again.lock).toEqual({ Thing: { a: 1, b: 2, c: 3, d: 4 } });
  expect(again.text).not.toContain('reserved');
});

test('a message that goes keeps its numbers in the lock', () => {
  const part = { type: 'array', items: { type: 'object', properties: { a: text } } };
  const { lock } = make({ parts: part, x: text });
  expect(make({ x: text }, lock).lock).toEqual(lock);
});

test('what protobuf cannot say is an error that names the field', () => {
  expect(() => make({ any: { type: 'object' } })).toThrow(/^any: a schema of type object/);
});

test.each([
  ['name', 'name', false],
  ['vmNetworkCIDR', 'vm_network_cidr', true],
  ['vmIPv6NetworkCIDR', 'vm_ipv6_network_cidr', true],
  ['autoattachVSOCK', 'autoattach_vsock', true],
  ['userDataBase64', 'user_data_base64', false],
  ['i6300esb', 'i6300esb', false],
  ['terminationGracePeriodSeconds', 'termination_grace_period_seconds', false],
])('%s is %s, with an explicit JSON name: %s', (json, name, needsJsonName) => {
  expect(fieldName(json)).toEqual({ name, needsJsonName });
});

test('messages in lists are named in the singular', () => {
  expect([messageName('disks', true), messageName('features', false)]).toEqual(['Disk', 'Features']);
});
