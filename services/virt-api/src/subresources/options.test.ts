import { restartOptions, startOptions, stopOptions } from './options.ts';

test('empty bodies are no options', () => {
  expect(startOptions({})).toEqual({ paused: false, dryRun: false });
  expect(stopOptions({})).toEqual({ gracePeriod: undefined, dryRun: false });
});

test('null is the same as absent', () => {
  expect(stopOptions({ gracePeriod: null, dryRun: null })).toEqual({ gracePeriod: undefined, dryRun: false });
});

test('dryRun "All" is a dry run', () => {
  expect(startOptions({ paused: true, dryRun: ['All'] })).toEqual({ paused: true, dryRun: true });
});

test.each([
  [() => restartOptions({ gracePeriodSeconds: 30 }), 'gracePeriodSeconds'],
  [() => restartOptions({ gracePeriodSeconds: -1 }), 'gracePeriodSeconds'],
  [() => stopOptions({ gracePeriod: '5' }), 'gracePeriod'],
  [() => stopOptions({ gracePeriod: -5 }), 'gracePeriod'],
  [() => startOptions({ paused: 'yes' }), 'paused'],
  [() => startOptions({ dryRun: ['Some'] }), 'dryRun'],
])('a bad option is a 400 that names it (%#)', (parse, field) => {
  expect(parse).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(field) }));
});
