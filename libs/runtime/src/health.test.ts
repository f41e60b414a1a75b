import { Health } from './health.ts';

test('every failing check is named with what is wrong', () => {
  const health = new Health();
  health.add('leader', () => undefined);
  health.add('cache', () => 'not synced');
  health.add('kubelet', () => 'socket missing');
  expect(health.failures()).toEqual(['cache: not synced', 'kubelet: socket missing']);
});

test('a program without a failing check is healthy', () => {
  const health = new Health();
  expect(health.failures()).toEqual([]);
});
