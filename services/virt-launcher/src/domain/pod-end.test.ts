import { exitCodeOf, patience } from './pod-end.ts';
import type { Outcome } from './run-record.ts';

describe('the end of the pod', () => {
  test.each<[Outcome | undefined, number]>([
    ['shutdown', 0],
    ['destroyed', 0],
    ['migrated', 0],
    ['crashed', 1],
    ['failed', 1],
    ['unobserved', 1],
    [undefined, 0],
  ])('after %s has exit code %d', (outcome, code) => {
    expect(exitCodeOf(outcome)).toBe(code);
  });

  test('waits longer for a watcher than for nobody, and hardly at all once the kubelet wants it', () => {
    const waits = [patience(false, true), patience(true, true), patience(false, false), patience(true, false)];
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(patience(false, true)).toBeLessThanOrEqual(1_000);
  });
});
