import type { VirtualMachineInstance } from '@yagura/api';
import { specHash } from './spec-hash.ts';

const vmi = (spec: object) => ({ metadata: { name: 'a' }, spec }) as unknown as VirtualMachineInstance;

describe('the hash of a spec', () => {
  test('does not depend on the order of fields, nor on fields that are undefined', () => {
    const one = specHash(vmi({ a: { x: 1, y: [1, 2] }, b: 2 }));
    expect(specHash(vmi({ b: 2, a: { y: [1, 2], x: 1 }, c: undefined }))).toBe(one);
  });

  test.each([{ a: { x: 1, y: [2, 1] }, b: 2 }, { a: { x: 1, y: [1, 2] } }, {}])('differs for %j', (spec) => {
    expect(specHash(vmi(spec))).not.toBe(specHash(vmi({ a: { x: 1, y: [1, 2] }, b: 2 })));
  });
});
