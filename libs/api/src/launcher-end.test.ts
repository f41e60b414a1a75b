import {
  decodeLauncherEnd,
  encodeLauncherEnd,
  type LauncherEnd,
  type LauncherOutcome,
  launcherExitCode,
  TERMINATION_MESSAGE_BYTES,
} from './launcher-end.ts';

const end: LauncherEnd = { outcome: 'destroyed', message: 'killed: “why”\n', ran: true, podTerminating: false };
const bytes = (text: string) => new TextEncoder().encode(text).length;

const every: LauncherOutcome[] = [
  ...['shutdown', 'panicked', 'qemu-gone', 'crashed', 'destroyed', 'migrated', 'failed', 'unobserved', 'no-domain'],
] as LauncherOutcome[];

test.each(every)('an end by %s is read as it was written', (outcome) => {
  expect(decodeLauncherEnd(encodeLauncherEnd({ ...end, outcome }))).toEqual({ ...end, outcome });
});

test.each([
  ['nothing', undefined],
  ['an empty message', ''],
  ['no JSON', 'panic: out of memory'],
  ['JSON that was cut off', encodeLauncherEnd(end).slice(0, -5)],
  ['null', 'null'],
  ['another object', '{"outcome":"shutdown"}'],
  ['an outcome of another version', encodeLauncherEnd(end).replace('destroyed', 'vanished')],
  ['a property of every object', encodeLauncherEnd(end).replace('destroyed', 'constructor')],
  ['a part of another type', encodeLauncherEnd(end).replace('true', '1')],
])('from %s nothing is read', (_, text) => {
  expect(decodeLauncherEnd(text)).toBeUndefined();
});

test.each([
  ['ASCII', 'x'],
  ['two bytes a letter', 'é'],
  ['four bytes a letter', '🐟'],
  ['what JSON escapes', '"'],
  ['control characters', '\u0001'],
])('a message too long for the kubelet loses its end: %s', (_, letter) => {
  const text = encodeLauncherEnd({ ...end, message: letter.repeat(50_000) });
  expect(bytes(text)).toBeLessThanOrEqual(TERMINATION_MESSAGE_BYTES);
  expect(bytes(text)).toBeGreaterThan(TERMINATION_MESSAGE_BYTES * 0.8);
  expect(new Set(decodeLauncherEnd(text)?.message)).toEqual(new Set([letter]));
});

test('every end but those that one may be content with has an exit code of its own, and none that of silence', () => {
  const bad: LauncherOutcome[] = every.filter((outcome) => outcome !== 'shutdown' && outcome !== 'migrated');
  const codes = bad.map(launcherExitCode);
  expect(new Set(codes).size).toBe(bad.length);
  expect(codes).not.toContain(0);
  expect(codes).not.toContain(1);
  expect(['shutdown', 'migrated'].map((outcome) => launcherExitCode(outcome as LauncherOutcome))).toEqual([0, 0]);
});
