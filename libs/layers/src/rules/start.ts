// It does not start: what keeps a launcher pod from running, from the object to the container.
import { type ConditionFact, type Facts, NO_INSTANCE } from '../diagnosis/facts.ts';
import type { Evidence, Rule } from '../diagnosis/types.ts';
import { describePod, describeVmi, kubectl, seconds } from './words.ts';

/** Of the scheduler, while a claim waits for its volume: that is how a start with a new volume goes. */
const CLAIM_UNBOUND = /unbound immediate PersistentVolumeClaims|waiting for .*(volume|claim)/i;
const PULL = /^(ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|RegistryUnavailable)\b/;
const CONTAINER = /^(CreateContainerConfigError|CreateContainerError|RunContainerError|CrashLoopBackOff)\b/;
/** What a machine without an instance says of itself when it is to run. */
const WANTED = ['Starting', 'ErrorPvcNotFound', 'ErrorUnschedulable'];
/** A start that shows no trouble may take so long; pulling a large image does. */
const START_SECONDS = 300;

export const startRefused: Rule = {
  name: 'start-refused',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    const failure = facts.condition('vm', 'Failure');
    const synchronized = outOfSync(facts, (condition) => condition.is('FailedCreate'));
    const refusal = failure?.status === 'True' ? failure : synchronized;
    if (refusal === undefined || facts.domainRuns) return undefined;
    return {
      because: [`the API server refuses what the machine needs: ${refusal.text}`],
      next: ['change what the message names: a quota, a right, a field of the template', describeVmi(facts)],
      since: refusal.since,
    };
  },
};

export const claimMissing: Rule = {
  name: 'pvc-missing',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    const claims = facts
      .matching('kubernetes', /^pvc\.(.*)$/)
      .filter(({ observation }) => observation.freshness === 'live' && observation.value === 'no such object')
      .map(({ key }) => `PersistentVolumeClaim ${key} does not exist`);
    const condition = outOfSync(facts, (one) => one.is('FailedPvcNotFound'));
    if (condition === undefined && (claims.length === 0 || !isToRun(facts))) return undefined;
    return {
      because: [...(condition ? [`a claim is missing: ${condition.text}`] : []), ...claims],
      next: [
        kubectl(facts, 'get pvc'),
        'make the claim, or correct its name in the template: the start goes on by itself',
      ],
      since: condition?.since,
    };
  },
};

export const dataVolumeFailed: Rule = {
  name: 'data-volume-failed',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) =>
    facts.is('kubernetes/vm.printableStatus', 'DataVolumeError')
      ? {
          because: ['a DataVolume of the machine has failed'],
          next: [kubectl(facts, 'get datavolume,pvc'), kubectl(facts, 'describe datavolume')],
        }
      : undefined,
};

export const unschedulable: Rule = {
  name: 'unschedulable',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    const condition = notScheduled(facts);
    if (condition === undefined || CLAIM_UNBOUND.test(condition.text)) return undefined;
    return {
      because: [`no node takes the launcher pod; the scheduler says: ${condition.text}`],
      next: [
        'make room, or relax what the machine asks for: memory, CPUs, nodeSelector, affinity, devices',
        ...(condition.text.includes('devices.kubevirt.io/kvm')
          ? ['no node offers KVM: set useEmulation where guests may be emulated']
          : []),
        describePod(facts),
      ],
      since: condition.since,
    };
  },
};

export const claimUnbound: Rule = {
  name: 'pvc-not-bound',
  layer: 'kubernetes',
  status: 'degraded',
  holds: (facts) => {
    const condition = notScheduled(facts);
    if (condition === undefined || !CLAIM_UNBOUND.test(condition.text)) return undefined;
    if (!facts.lasts(condition.since, 60)) return undefined;
    const claims = facts
      .matching('kubernetes', /^pvc\.(.*)$/)
      .filter(({ observation: { freshness, value } }) => freshness === 'live' && /^(Pending|Lost)/.test(String(value)))
      .map(({ key, observation }) => `PersistentVolumeClaim ${key}: ${String(observation.value)}`);
    return {
      because: [`a claim has no volume yet: ${condition.text}`, ...claims],
      next: [kubectl(facts, 'get pvc'), kubectl(facts, 'describe pvc')],
      since: condition.since,
    };
  },
};

export const imageMissing: Rule = {
  name: 'image-missing',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    const condition = outOfSync(facts, ({ text }) => PULL.test(text));
    const containers = troubles(facts, PULL);
    if (condition === undefined && containers.length === 0) return undefined;
    return {
      because: [...(condition ? [condition.text] : []), ...containers],
      next: ['correct the image or its pull secret; the kubelet tries again by itself', describePod(facts)],
      since: condition?.since,
    };
  },
};

export const containerStuck: Rule = {
  name: 'container-cannot-start',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    const because = troubles(facts, CONTAINER);
    return because.length === 0 ? undefined : { because, next: [describePod(facts)] };
  },
};

export const crashLoop: Rule = {
  name: 'crash-loop',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    if (!facts.is('kubernetes/vm.printableStatus', 'CrashLoopBackOff')) return undefined;
    const failures = facts.live('kubernetes/vm.startFailures');
    return {
      because: [
        `the guest ended ${failures ? `${String(failures)} times in a row` : 'again and again'} after its start`,
      ],
      next: [
        kubectl(facts, `get events --field-selector involvedObject.name=${facts.subject.name}`),
        'a new start is tried after a pause; `yagura start` does not wait for it',
      ],
    };
  },
};

export const specNotApplied: Rule = {
  name: 'spec-not-applied',
  layer: 'node',
  status: 'degraded',
  holds: (facts) => {
    const condition = outOfSync(
      facts,
      (one) => !one.is('FailedCreate') && !one.is('FailedPvcNotFound') && !PULL.test(one.text),
    );
    if (condition === undefined) return undefined;
    return {
      because: [`the machine is not as its spec says: ${condition.text}`],
      next: [describeVmi(facts)],
      since: condition.since,
    };
  },
};

export const startTakesLong: Rule = {
  name: 'start-takes-long',
  layer: 'kubernetes',
  status: 'degraded',
  holds: (facts) => {
    if (!facts.wanted || !facts.is('kubernetes/vmi.phase', '', 'Pending', 'Scheduling', 'Scheduled')) return undefined;
    const shown = facts.text('kubernetes/vm.printableStatus');
    if (shown === undefined || shown === 'Provisioning' || shown === 'WaitingForVolumeBinding') return undefined;
    const since = facts.since('kubernetes/vmi.phase');
    if (!facts.lasts(since, START_SECONDS)) return undefined;
    return {
      because: [`phase ${facts.phase || 'not set'} for ${seconds(facts, since)}, and no layer says why`],
      next: [describePod(facts), describeVmi(facts)],
      since,
    };
  },
};

/** Somebody wants it to run, and it does not yet: one that is off, or runs, misses no claim. */
function isToRun(facts: Facts): boolean {
  if (facts.phase === NO_INSTANCE) return facts.is('kubernetes/vm.printableStatus', ...WANTED);
  return facts.wanted && facts.is('kubernetes/vmi.phase', '', 'Pending', 'Scheduling', 'Scheduled');
}

function outOfSync(facts: Facts, wanted: (condition: ConditionFact) => boolean): ConditionFact | undefined {
  const condition = facts.condition('vmi', 'Synchronized');
  return condition?.status === 'False' && wanted(condition) ? condition : undefined;
}

function notScheduled(facts: Facts): ConditionFact | undefined {
  if (facts.stopping) return undefined;
  return [facts.condition('pod', 'PodScheduled'), facts.condition('vmi', 'PodScheduled')].find(
    (condition) => condition?.status === 'False' && condition.is('Unschedulable'),
  );
}

function troubles(facts: Facts, pattern: RegExp): Evidence['because'] {
  if (!facts.wanted) return [];
  return facts
    .matching('kubernetes', /^pod(?:\[.*\])?\.container\.(.*)$/)
    .filter(({ observation: { freshness, value } }) => freshness === 'live' && pattern.test(String(value)))
    .map(({ key, observation }) => `container ${key}: ${String(observation.value)}`);
}
