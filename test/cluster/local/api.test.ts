import { readyNodes } from './api.ts';

const node = (name: string, status: string, lastHeartbeatTime = '2026-01-01T00:00:10Z'): object => ({
  metadata: { name },
  status: {
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status, lastHeartbeatTime },
    ],
  },
});
const body = (...items: object[]): string => JSON.stringify({ items });

test('only nodes whose kubelet says Ready count', () => {
  expect(
    readyNodes(body(node('a', 'True'), node('b', 'False'), node('c', 'Unknown'), { metadata: { name: 'd' } })),
  ).toEqual(['a']);
});

test('what a lost kubelet said before its node was started again does not count', () => {
  const list = body(node('a', 'True'), node('b', 'True'));
  expect(readyNodes(list, new Map([['a', Date.parse('2026-01-01T00:00:11Z')]]))).toEqual(['b']);
  expect(readyNodes(list, new Map([['a', Date.parse('2026-01-01T00:00:10.900Z')]]))).toEqual(['a', 'b']);
});
