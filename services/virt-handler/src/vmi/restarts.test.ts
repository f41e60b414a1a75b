import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { recentRestarts } from './restarts.ts';
import { NOW, testDomain, testVmi } from './testing.ts';

const running = Date.parse(NOW);
const at = (seconds: number) => new Date(running + seconds * 1000);
const vmi = testVmi({
  phase: 'Running',
  phaseTransitionTimestamps: [
    { phase: 'Scheduled', phaseTransitionTimestamp: at(-2).toISOString() },
    { phase: 'Running', phaseTransitionTimestamp: NOW },
  ],
});
const libvirt = (connected: boolean, losses: number, seconds: number) =>
  testDomain({ libvirt: { connected, losses, since: timestampFromDate(at(seconds)) } });

test.each<[string, number | undefined, number, number | undefined]>([
  ['that started before its guest', -1, 60, undefined],
  ['that started in the second in which its guest ran', 0.9, 60, undefined],
  ['that started later', 5, 60, 5],
  ['that started long ago', 5, 3600, undefined],
  ['that has not told', undefined, 60, undefined],
])('a launcher %s', (_, started, now, restart) => {
  const startedAt = started === undefined ? undefined : at(started);
  expect(recentRestarts(vmi, startedAt, testDomain(), at(now).getTime()).launcher).toEqual(
    restart === undefined ? undefined : at(restart),
  );
});

test.each<[string, ReturnType<typeof testDomain>, number | undefined]>([
  ['never lost', libvirt(true, 0, 5), undefined],
  ['lost and not back', libvirt(false, 1, 5), undefined],
  ['lost before the guest ran', libvirt(true, 1, -5), undefined],
  ['lost and back', libvirt(true, 2, 5), 5],
])('a libvirt daemon that was %s', (_, domain, restart) => {
  expect(recentRestarts(vmi, undefined, domain, at(60).getTime()).libvirt).toEqual(
    restart === undefined ? undefined : at(restart),
  );
});

test('an instance that does not run yet has seen no restart', () => {
  expect(recentRestarts(testVmi(), at(5), libvirt(true, 1, 5), at(60).getTime())).toEqual({
    launcher: undefined,
    libvirt: undefined,
  });
});
