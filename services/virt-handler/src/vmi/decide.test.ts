import type { LauncherOutcome } from '@yagura/api';
import { DomainOutcome, DomainState } from '@yagura/contracts';
import { type Decision, decide, LOSS_PATIENCE_MS, SILENCE_GRACE_MS, type Situation } from './decide.ts';
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
  podDown: false,
  loss: undefined,
  compute: 'running',
  complete: true,
  domain: testDomain(),
  silentMs: 0,
  qemuRuns: undefined,
  now,
  shutdownSentAt: undefined,
};
const tooLong = SILENCE_GRACE_MS + 1;
/** A compute container that ended a moment ago, with a launcher's last words or without. */
const left = (outcome?: LauncherOutcome, podTerminating = false, exitCode = 0) => ({
  exitCode,
  message: 'Completed',
  lastWords: outcome && { outcome, message: 'why', ran: outcome !== 'no-domain', podTerminating },
  forMs: 0,
});
const deletedPod = {
  podDeleting: true,
  loss: { reason: 'LauncherPodDeleted', message: 'its launcher pod was deleted' },
};
const evicted = { podDown: true, loss: { reason: 'Evicted', message: 'the node was low on memory' } };
const terminating = (outcome: DomainOutcome) => testDomain({ end: { outcome, message: 'why', podTerminating: true } });

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
    'a launcher silent for too long is named while QEMU runs, and nothing else follows',
    { silentMs: tooLong, qemuRuns: true },
    { type: 'complain', message: 'QEMU runs, but no launcher answers in pod' },
  ],
  ['so is one that never said a word', { silentMs: tooLong, qemuRuns: true, domain: undefined }, { type: 'complain' }],
  [
    'a deleted instance behind a silent launcher is killed all the same',
    { silentMs: tooLong, qemuRuns: true, vmi: deleted(31) },
    { type: 'kill' },
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
  [
    'a pod that is over without a container is another pod’s business before the instance is handed over',
    { vmi: testVmi({ phase: 'Scheduling' }), compute: 'waiting', domain: undefined, podDown: true },
    { type: 'wait' },
  ],
  [
    'a guest that was shut down because the node ends its pod: the pod will say why',
    { domain: terminating(DomainOutcome.SHUTDOWN) },
    { type: 'dismiss' },
  ],
  [
    'a launcher that ended so: the pod will say why once it is over',
    { domain: undefined, compute: left('shutdown', true) },
    { type: 'dismiss', afterMs: LOSS_PATIENCE_MS },
  ],
  [
    'a launcher that ended without a word: the pod may say why once it is over',
    { domain: undefined, compute: left() },
    { type: 'dismiss', afterMs: LOSS_PATIENCE_MS },
  ],
  [
    'a launcher whose guest migrated away ends nothing',
    { domain: undefined, compute: left('migrated') },
    { type: 'wait' },
  ],
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
  [
    'a panic failed by that name',
    { domain: ended(DomainOutcome.PANICKED) },
    { phase: 'Failed', reason: 'GuestPanicked', message: 'why' },
  ],
  [
    'so did a QEMU that went',
    { domain: ended(DomainOutcome.QEMU_GONE) },
    { phase: 'Failed', reason: 'QemuGone', message: 'why' },
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
    { ...deletedPod, domain: ended(DomainOutcome.SHUTDOWN) },
    { phase: 'Failed', reason: 'LauncherPodDeleted' },
  ],
  [
    'a pod deleted with its instance did not',
    { ...deletedPod, vmi: deleted(1), domain: ended(DomainOutcome.SHUTDOWN) },
    { phase: 'Succeeded' },
  ],
  [
    'a launcher that told of a shutdown before it ended succeeded',
    { domain: undefined, compute: left('shutdown') },
    { phase: 'Succeeded', reason: undefined, message: 'why' },
  ],
  [
    'one that told of a kill did not, whatever its exit code',
    { domain: undefined, vmi: deleted(31), compute: left('destroyed') },
    { phase: 'Failed', reason: 'DomainDestroyed', message: 'why' },
  ],
  [
    'one that told of a crash did not',
    { domain: undefined, compute: left('crashed', false, 2) },
    { phase: 'Failed', reason: 'GuestCrashed', message: 'why' },
  ],
  [
    'one that told of a panic did not, by that name',
    { domain: undefined, compute: left('panicked', false, 8) },
    { phase: 'Failed', reason: 'GuestPanicked', message: 'why' },
  ],
  [
    'an instance that was deleted before its guest ran did not succeed',
    { domain: undefined, vmi: deleted(1), compute: left('no-domain', true, 6) },
    { phase: 'Failed', reason: 'Deleted' },
  ],
  [
    'a launcher that went by itself before its guest ran failed',
    { domain: undefined, compute: left('no-domain', false, 6) },
    { phase: 'Failed', reason: 'LauncherFailed', message: 'the launcher ended with exit code 6: why' },
  ],
  [
    'a launcher that ended well without a word is no success',
    { domain: undefined, podDown: true, compute: left() },
    {
      phase: 'Failed',
      reason: 'LauncherEndUnknown',
      message: 'the launcher ended with exit code 0 (Completed) and left no word of how its guest ended',
    },
  ],
  [
    'not for a deleted instance either',
    { domain: undefined, vmi: deleted(1), compute: left() },
    { phase: 'Failed', reason: 'LauncherEndUnknown' },
  ],
  [
    'a launcher that ended badly failed, with its exit code',
    { domain: undefined, podDown: true, compute: { ...left(undefined, false, 137), message: 'OOMKilled' } },
    { phase: 'Failed', reason: 'LauncherFailed', message: 'the launcher ended with exit code 137 (OOMKilled)' },
  ],
  [
    'an evicted guest failed for that reason, however gently it was shut down',
    { domain: undefined, ...evicted, compute: left('shutdown', true) },
    { phase: 'Failed', reason: 'Evicted', message: 'the guest was shut down: the node was low on memory' },
  ],
  [
    'so did one that was given no time for last words',
    { domain: undefined, ...evicted, compute: left(undefined, false, 137) },
    { phase: 'Failed', reason: 'Evicted', message: 'how the guest ended is not known: the node was low on memory' },
  ],
  [
    'so did one that had not run yet',
    { domain: undefined, ...evicted, compute: left('no-domain', true, 6) },
    { phase: 'Failed', reason: 'Evicted' },
  ],
  [
    'an evicted guest that was to end anyway did not',
    { domain: undefined, ...evicted, vmi: deleted(1), compute: left('shutdown', true) },
    { phase: 'Succeeded' },
  ],
  [
    'a node that ends a pod and never says why has failed the guest all the same',
    { domain: undefined, compute: { ...left('shutdown', true), forMs: LOSS_PATIENCE_MS } },
    { phase: 'Failed', reason: 'LauncherPodTerminated' },
  ],
  [
    'a pod that is over and shows no containers failed the guest',
    { domain: undefined, ...evicted, compute: 'waiting' },
    {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'the launcher pod is over and shows no containers: the node was low on memory',
    },
  ],
  [
    'also without a reason',
    { domain: undefined, podDown: true, compute: 'waiting' },
    { phase: 'Failed', reason: 'LauncherEndUnknown' },
  ],
  [
    'what the domain said last counts more than the exit code',
    { domain: ended(DomainOutcome.CRASHED), compute: left('shutdown') },
    { phase: 'Failed', reason: 'GuestCrashed' },
  ],
])('%s', (_, part, end) => {
  expect(decide({ ...base, ...part })).toMatchObject({ type: 'end', end });
});
