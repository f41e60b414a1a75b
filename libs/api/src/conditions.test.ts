import fc from 'fast-check';
import { findCondition, isConditionTrue, removeCondition, setCondition } from './conditions.ts';
import type { Condition } from './kubernetes.ts';

const T1 = '2026-01-01T00:00:00Z';
const T2 = '2026-01-01T00:05:00Z';
const ready = (over: Partial<Condition> = {}): Condition => ({
  type: 'Ready',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: T1,
  reason: 'GuestNotRunning',
  message: 'booting',
  ...over,
});

test('a new condition is appended with the time', () => {
  expect(setCondition(undefined, { type: 'Paused', status: 'True', reason: 'PausedByUser' }, T1)).toEqual([
    { type: 'Paused', status: 'True', lastProbeTime: null, lastTransitionTime: T1, reason: 'PausedByUser' },
  ]);
});

test('a change of the status moves the transition time', () => {
  const after = setCondition([ready()], { type: 'Ready', status: 'True' }, T2);
  expect(after).toEqual([{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: T2 }]);
});

test('a change of the reason alone keeps the transition time', () => {
  const after = setCondition([ready()], { type: 'Ready', status: 'False', reason: 'PodTerminating' }, T2);
  expect(after[0]).toMatchObject({ reason: 'PodTerminating', lastTransitionTime: T1 });
});

test('a change of nothing but the message is not written, unless the message is the news', () => {
  const before = [ready()];
  const wanted = { type: 'Ready', status: 'False' as const, reason: 'GuestNotRunning', message: 'still booting' };
  expect(setCondition(before, wanted, T2)).toBe(before);
  const after = setCondition(before, { ...wanted, messageChange: 'update' }, T2);
  expect(after[0]).toMatchObject({ message: 'still booting', lastTransitionTime: T1 });
});

test('a condition written by Go with null times stays as it is', () => {
  const before = [ready({ type: 'LiveMigratable', status: 'True', lastTransitionTime: null, reason: '' })];
  expect(setCondition(before, { type: 'LiveMigratable', status: 'True' }, T2)).toBe(before);
});

test('removal tells whether it did anything', () => {
  const before = [ready()];
  expect(removeCondition(before, 'Paused')).toBe(before);
  expect(removeCondition(before, 'Ready')).toEqual([]);
  expect(removeCondition(undefined, 'Ready')).toEqual([]);
});

test('an absent condition is not true', () => {
  expect(isConditionTrue({}, 'Ready')).toBe(false);
  expect(isConditionTrue({ status: { conditions: [ready({ status: 'Unknown' })] } }, 'Ready')).toBe(false);
  expect(findCondition({ status: { conditions: [ready()] } }, 'Ready')).toEqual(ready());
});

test('setting twice is setting once, and the other conditions keep their places', () => {
  const status = fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const);
  const condition = fc.record({ type: fc.constantFrom('A', 'B', 'C'), status, reason: fc.constantFrom('', 'X', 'Y') });
  const conditions = fc.uniqueArray(condition, { selector: ({ type }) => type });
  fc.assert(
    fc.property(conditions, condition, (before, wanted) => {
      const once = setCondition(before, wanted, T1);
      expect(setCondition(once, wanted, T2)).toBe(once);
      expect(once.filter(({ type }) => type !== wanted.type)).toEqual(
        before.filter(({ type }) => type !== wanted.type),
      );
      expect(once.filter(({ type }) => type === wanted.type)).toHaveLength(1);
    }),
  );
});
