import { vmiWrites } from './audit.ts';

const line = (verb: string, code: number, resource = 'virtualmachineinstances', namespace = 'load') =>
  JSON.stringify({
    verb,
    stageTimestamp: '2026-01-01T00:00:01.5Z',
    objectRef: { resource, namespace, name: 'vmi-1' },
    responseStatus: { code },
  });

test('updates that succeeded are counted, whatever else was written is not', () => {
  const log = [
    line('create', 201),
    line('patch', 200),
    line('patch', 409),
    line('update', 200),
    line('patch', 200, 'pods'),
    line('patch', 200, 'virtualmachineinstances', 'other'),
    line('patch', 200).slice(0, 60),
  ].join('\n');
  const at = Date.parse('2026-01-01T00:00:01.5Z');
  expect(vmiWrites(log, 'load')).toEqual([
    { name: 'vmi-1', at },
    { name: 'vmi-1', at },
  ]);
});
