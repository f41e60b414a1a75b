import { ServerClock } from './server-clock.ts';

const own = new Date('2026-01-01T00:00:10.700Z');

test.each([
  ['agrees as far as can be told', '2026-01-01T00:00:10Z', '2026-01-01T00:00:10.700Z', 0],
  ['is ten minutes behind ours', '2025-12-31T23:50:10Z', '2025-12-31T23:50:10.000Z', 600_700],
  ['is ten minutes ahead of ours', '2026-01-01T00:10:10Z', '2026-01-01T00:10:10.000Z', -599_300],
  ['says nothing', undefined, '2026-01-01T00:00:10.700Z', 0],
  ['says nonsense', 'soon', '2026-01-01T00:00:10.700Z', 0],
])('an API server whose clock %s', (_, date, now, aheadMs) => {
  const clock = new ServerClock(() => own);
  clock.heard(date === undefined ? undefined : new Date(date));
  expect(clock.now().toISOString()).toBe(now);
  expect(clock.aheadMs).toBe(aheadMs);
});
