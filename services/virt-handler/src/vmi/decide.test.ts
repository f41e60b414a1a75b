import { DomainOutcome, DomainState } from '@yagura/contracts';
import { type Decision, decide, SILENCE_GRACE_MS, type Situation } from './decide.ts';
import { NOW, testDomain, testVmi } from './testing.ts';

const now = Date.parse(NOW);
const deleted = (secondsAgo: number, grace?: number) =>
  testVmi({ phase: 'Running' }, grace === undefined ? {} : { terminationGracePeriodSeconds: grace }, {
    deletionTimestamp: new Date(now - secondsAgo * 1000).toISOString(),
  });
const absent = testDomain({ state: DomainState.ABSENT });
const ended = (outcome: DomainOutcome) => testDomain({ state: DomainState.SHUTOFF, end: { outcome, message: 'why' } });
const base: Situation = {
  vmi: testVmi(),
  podDeleting: false,
  compute: 'running',
  complete: true,
  domain: testDomain(),
  silentMs: 0,
  qemuRuns: undefined,
  now,
  shutdownSentAt: undefined,
};
const tooLong = SILENCE_GRACE_MS + 1;

test.each<[string, Partial<Situation>, Partial<Decision>]>([
  ['a pod that does not run yet is waited for', { compute: 'waiting', domain: undefined }, { type: 'wait' }],
  ['a launcher that has said nothing yet is waited for', { domain: undefined, silentMs: undefined }, { type: 'wait' }],
  ['an empty launcher in a complete pod is started', { domain: absent }, { type: 'start' }],
  ['an empty launcher waits for the containers of its disks', { domain: absent, complete: false }, { type: 'wait' }],
  ['nothing is started in a pod that is being deleted', { domain: absent, podDeleting: true }, { type: 'wait' }],
  ['a running domain is observed', {}, { type: 'observe' }],
  [
    'a domain that nobody can see is not taken for gone',
    { domain: testDomain({ state: DomainState.UNSPECIFIED }) },
    { type: 'observe' },
  ],
  ['a launcher that fell silent a moment ago changes nothing', { silentMs: 5_000 }, { type: 'observe' }],
  [
    'a launcher silent for too long changes nothing while QEMU runs',
    { silentMs: tooLong, qemuRuns: true },
    { type: 'observe' },
  ],
  [
    'a launcher silent for too long without QEMU has lost its guest',
    { silentMs: tooLong, qemuRuns: false },
    { type: 'end' },
  ],
  ['a deleted instance is asked to shut down first', { vmi: deleted(1) }, { type: 'shutdown', afterMs: 5_000 }],
  ['it is not asked again at once', { vmi: deleted(3), shutdownSentAt: now - 2_000 }, { type: 'wait', afterMs: 3_000 }],
  ['it is asked again after five seconds', { vmi: deleted(8), shutdownSentAt: now - 5_000 }, { type: 'shutdown' }],
  [
    'it is looked at again when its grace ends',
    { vmi: deleted(29), shutdownSentAt: now - 1_000 },
    { type: 'wait', afterMs: 1_000 },
  ],
  ['it is killed after its grace', { vmi: deleted(31), shutdownSentAt: now - 1_000 }, { type: 'kill' }],
  ['without grace it is killed at once', { vmi: deleted(0, 0) }, { type: 'kill' }],
  [
    'a deleted instance whose state nobody can see is left alone',
    { vmi: deleted(60), domain: testDomain({ state: DomainState.UNSPECIFIED }) },
    { type: 'observe' },
  ],
  ['a deleted instance that never started is let go', { vmi: deleted(1), domain: absent }, { type: 'dismiss' }],
  ['a domain that migrated away ends nothing', { domain: ended(DomainOutcome.MIGRATED) }, { type: 'wait' }],
  [
    'the end of another instance’s domain is not ours',
    { domain: testDomain({ vmiUid: 'other', end: { outcome: DomainOutcome.CRASHED } }) },
    { type: 'observe' },
  ],
])('%s', (_, part, expected) => {
  expect(decide({ ...base, ...part })).toMatchObject(expected);
});

test.each<[string, Partial<Situation>, object]>([
  [
    'a guest that shut itself down succeeded',
    { domain: ended(DomainOutcome.SHUTDOWN) },
    { phase: 'Succeeded', reason: undefined, message: 'why' },
  ],
  [
    'a crash failed, with the launcher’s words',
    { domain: ended(DomainOutcome.CRASHED) },
    { phase: 'Failed', reason: 'GuestCrashed', message: 'why' },
  ],
  ['a failed start failed', { domain: ended(DomainOutcome.FAILED) }, { phase: 'Failed', reason: 'DomainStartFailed' }],
  [
    'an end that nobody saw is no success',
    { domain: ended(DomainOutcome.UNOBSERVED) },
    { phase: 'Failed', reason: 'DomainEndedUnobserved' },
  ],
  [
    'an unknown end is no success',
    { domain: ended(DomainOutcome.UNSPECIFIED) },
    { phase: 'Failed', reason: 'DomainEnded' },
  ],
  [
    'a guest that did not obey in time failed',
    { vmi: deleted(31), domain: ended(DomainOutcome.DESTROYED) },
    { phase: 'Failed', reason: 'DomainDestroyed' },
  ],
  [
    'a guest that was given no time did not fail',
    { vmi: deleted(1, 0), domain: ended(DomainOutcome.DESTROYED) },
    { phase: 'Succeeded' },
  ],
  [
    'a guest without ACPI could not obey',
    {
      vmi: testVmi({}, { domain: { devices: {}, features: { acpi: { enabled: false } } } }),
      domain: ended(DomainOutcome.DESTROYED),
    },
    { phase: 'Succeeded' },
  ],
  [
    'a pod deleted under a guest failed it, however gently',
    { podDeleting: true, domain: ended(DomainOutcome.SHUTDOWN) },
    { phase: 'Failed', reason: 'LauncherPodDeleted' },
  ],
  [
    'a pod deleted with its instance did not',
    { podDeleting: true, vmi: deleted(1), domain: ended(DomainOutcome.SHUTDOWN) },
    { phase: 'Succeeded' },
  ],
  [
    'a launcher that ended well without a word succeeded',
    { domain: undefined, compute: { exitCode: 0, message: '' } },
    { phase: 'Succeeded' },
  ],
  [
    'a launcher that ended badly failed, with its exit code',
    { domain: undefined, compute: { exitCode: 137, message: 'OOMKilled' } },
    { phase: 'Failed', reason: 'LauncherFailed', message: 'the launcher ended with exit code 137: OOMKilled' },
  ],
  [
    'what the domain said last counts more than the exit code',
    { domain: ended(DomainOutcome.CRASHED), compute: { exitCode: 0, message: '' } },
    { phase: 'Failed', reason: 'GuestCrashed' },
  ],
])('%s', (_, part, end) => {
  expect(decide({ ...base, ...part })).toMatchObject({ type: 'end', end });
});
