import { isUnresponsive } from './heartbeat.ts';

const TIMEOUT_MS = 5 * 60_000;
const NOW = Date.parse('2026-01-01T00:00:00Z');
const nodeAt = (text: string | undefined) => ({
  metadata: { name: 'node-1', annotations: text === undefined ? {} : { 'kubevirt.io/heartbeat': text } },
});

test.each([
  ['a fresh heartbeat', new Date(NOW - 1000).toISOString(), false],
  ['one of just five minutes', new Date(NOW - TIMEOUT_MS).toISOString(), false],
  ['one older than that', new Date(NOW - TIMEOUT_MS - 1).toISOString(), true],
  ['none at all', undefined, false],
  ['one that cannot be read', 'yesterday', false],
  ['one from a clock ahead of ours', new Date(NOW + 60_000).toISOString(), false],
])('a node with %s', (_what, text, unresponsive) => {
  expect(isUnresponsive(nodeAt(text), NOW, TIMEOUT_MS)).toBe(unresponsive);
});
