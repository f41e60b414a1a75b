// How a run ended that nobody asked to end: the domain's own word, or the reason that the object keeps of it.

import type { Facts } from '../diagnosis/facts.ts';
import type { Rule } from '../diagnosis/types.ts';
import type { Layer } from '../observation.ts';
import { describeVmi, kubectl, target } from './words.ts';

interface Ending {
  name: string;
  layer: Layer;
  /** libvirt's outcomes and the object's reasons that mean it. */
  outcomes: string[];
  reasons: string[];
  says: string;
  next: (facts: Facts) => string[];
}

const restart = (facts: Facts) => `yagura restart ${target(facts)}`;
const events = (facts: Facts) =>
  kubectl(facts, `get events --field-selector involvedObject.name=${facts.subject.name}`);

const endings: Ending[] = [
  {
    name: 'qemu-gone',
    layer: 'domain',
    outcomes: ['qemu gone'],
    reasons: ['QemuGone'],
    says: 'QEMU ended by itself or was killed; the guest had no part in it',
    next: (facts) => ['see whether the node was out of memory: dmesg on it', events(facts), restart(facts)],
  },
  {
    name: 'guest-crashed',
    layer: 'domain',
    outcomes: ['crashed'],
    reasons: ['GuestCrashed'],
    says: 'QEMU or its guest crashed; nobody heard which of them',
    next: (facts) => ['a panic device (spec.domain.devices.panicDevices) would tell', events(facts), restart(facts)],
  },
  {
    name: 'domain-start-failed',
    layer: 'domain',
    outcomes: ['failed'],
    reasons: ['DomainStartFailed'],
    says: 'libvirt could not start the domain',
    next: (facts) => [describeVmi(facts), events(facts)],
  },
  {
    name: 'launcher-lost',
    layer: 'node',
    outcomes: [],
    reasons: [
      'LauncherFailed',
      'LauncherUnresponsive',
      'LauncherEndUnknown',
      'LauncherPodGone',
      'LauncherPodDeleted',
      'LauncherPodTerminated',
    ],
    says: 'the run ended because its launcher or its pod did',
    next: (facts) => [events(facts), describeVmi(facts), restart(facts)],
  },
];

export const endRules: Rule[] = endings.map(({ name, layer, outcomes, reasons, says, next }) => ({
  name,
  layer,
  status: 'broken',
  holds: (facts) => {
    const end = ended(facts, outcomes, reasons);
    return end && { because: [says, ...end.words], next: next(facts), since: end.since };
  },
}));

export const runFailed: Rule = {
  name: 'run-failed',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    const reason = facts.text('kubernetes/vmi.reason');
    if (facts.phase !== 'Failed' || !facts.wanted) return undefined;
    const known = [...endings.flatMap(({ reasons }) => reasons), ...PANICS, 'NodeUnresponsive', 'Deleted'];
    if (reason === undefined || known.includes(reason)) return undefined;
    return {
      because: [`the run has failed: ${reason}`],
      next: [events(facts), describeVmi(facts)],
      since: facts.since('kubernetes/vmi.phase'),
    };
  },
};

export const PANICS = ['GuestPanicked'];

/** The end of a run that nobody wanted; undefined when it did not end so, or when it is not known. */
export function ended(
  facts: Facts,
  outcomes: string[],
  reasons: string[],
): { words: string[]; since: string | undefined } | undefined {
  const byDomain = facts.wanted && facts.is('domain/end.outcome', ...outcomes);
  // A reason of the object is only given to an end that nobody asked for.
  const byObject = facts.phase === 'Failed' && facts.is('kubernetes/vmi.reason', ...reasons);
  if (!byDomain && !byObject) return undefined;
  const message = facts.text('domain/end.message');
  return {
    words: [
      ...(byDomain && message ? [`the launcher says: ${message}`] : []),
      ...(byObject ? [`the instance has failed: ${facts.text('kubernetes/vmi.reason')}`] : []),
    ],
    since: (byDomain ? facts.text('domain/end.time') : undefined) ?? facts.since('kubernetes/vmi.phase'),
  };
}
