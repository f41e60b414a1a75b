// The node and those who watch it: who is not heard of, before anything is said of the guest.
import type { Facts } from '../diagnosis/facts.ts';
import type { Rule } from '../diagnosis/types.ts';
import { clockSkews, nodeClockSkews } from './clocks.ts';
import { ordinaryRules } from './ordinary.ts';
import { kubectl, theNode } from './words.ts';

/** Why virt-handler gives no report; of a run that is over nobody expects any. */
const handlerSilent = (facts: Facts) => (isOver(facts) ? undefined : facts.failure('node/virt-handler'));
const isOver = (facts: Facts) => facts.phase === 'Succeeded' || facts.phase === 'Failed';
/** By its lease: undefined where that was not read. */
const leaseOf = (facts: Facts) => facts.seen('node/lease')?.freshness;
const nodeDown = (facts: Facts) => facts.is('kubernetes/node.ready', 'False', 'Unknown');
const handlerPods = (facts: Facts) =>
  `kubectl get pods -A -l kubevirt.io=virt-handler -o wide --field-selector spec.nodeName=${facts.subject.node ?? ''}`;

export const virtApiSilent: Rule = {
  name: 'virt-api-silent',
  layer: 'kubernetes',
  status: 'degraded',
  holds: (facts) => {
    const error = facts.failure('kubernetes/virt-api');
    if (error === undefined) return undefined;
    const truth = ordinaryRules.flatMap((rule) => rule.holds(facts)?.because ?? []);
    const unasked = facts.failure('node/exec');
    return {
      because: [
        `virt-api does not answer: ${error}`,
        'guests run on without it; machines can be neither changed nor reached through it',
        ...truth,
        ...(unasked === undefined ? [] : [`nor could the node be asked: ${unasked}`]),
      ],
      // Whoever could tell of the guest is not heard of either.
      ...(truth.length === 0 ? { status: 'unknown' as const } : {}),
      next: [
        'kubectl get apiservice v1.subresources.kubevirt.io',
        'kubectl get pods -A -l kubevirt.io=virt-api -o wide',
      ],
    };
  },
};

export const controllerSilent: Rule = {
  name: 'virt-controller-silent',
  layer: 'kubernetes',
  status: 'degraded',
  holds: (facts) => {
    const lease = facts.seen('kubernetes/virt-controller.lease');
    if (lease?.freshness !== 'stale' || lease.observedAt === null) return undefined;
    return {
      because: [
        `no virt-controller has renewed its lease since ${lease.observedAt}`,
        'nothing is started, stopped or moved; guests run on',
      ],
      next: ['kubectl get pods -A -l kubevirt.io=virt-controller -o wide'],
      since: lease.observedAt,
    };
  },
};

export const nodeLost: Rule = {
  name: 'node-lost',
  layer: 'node',
  status: 'broken',
  holds: (facts) => {
    const silence = handlerSilent(facts);
    const failed = facts.is('kubernetes/vmi.phase', 'Failed') && facts.is('kubernetes/vmi.reason', 'NodeUnresponsive');
    // One question without an answer is not enough where it was heard of a moment ago.
    const lease = leaseOf(facts);
    const unheard = lease === 'stale' || (silence !== undefined && lease !== 'live');
    const answers = facts.is('node/virt-handler', 'answers');
    if (!failed && !(nodeDown(facts) && unheard && !answers && !isOver(facts))) return undefined;
    const word = facts.condition('vmi', 'Ready')?.text;
    return {
      because: [
        `neither the kubelet nor virt-handler of ${theNode(facts)} is heard of`,
        ...(silence === undefined ? [] : [silence]),
        ...(word ? [word] : []),
        'its guest may run on, so it is not started elsewhere',
      ],
      next: [
        `kubectl describe node ${facts.subject.node ?? ''}`,
        'bring the node back; or, when it is certain that it is switched off, mark it out of service',
      ],
      since: facts.since('kubernetes/node.ready'),
    };
  },
};

export const kubeletSilent: Rule = {
  name: 'kubelet-silent',
  layer: 'node',
  status: 'degraded',
  holds: (facts) => {
    // Where virt-handler could not be asked, its lease speaks for it.
    const asked = facts.seen('node/virt-handler') !== undefined;
    const lives = facts.is('node/virt-handler', 'answers') || (!asked && leaseOf(facts) === 'live');
    if (!nodeDown(facts) || !lives) return undefined;
    const why = facts.seen('kubernetes/node.ready')?.error;
    return {
      because: [
        `Kubernetes calls ${theNode(facts)} not ready${why ? ` (${why})` : ''}, yet its virt-handler ${asked ? 'answers' : 'renews its lease'}`,
        'the guest is not touched, but its pod can be neither changed nor probed',
      ],
      next: [`on ${theNode(facts)}: systemctl status kubelet; journalctl -u kubelet -n 50`],
      since: facts.since('kubernetes/node.ready'),
    };
  },
};

export const handlerDead: Rule = {
  name: 'virt-handler-dead',
  layer: 'node',
  status: 'degraded',
  holds: (facts) => {
    const lease = facts.seen('node/lease');
    if (facts.is('node/virt-handler', 'answers') || nodeDown(facts) || isOver(facts)) return undefined;
    if (lease?.freshness !== 'stale' || lease.observedAt === null) return undefined;
    return {
      because: [
        `no answer of virt-handler on ${theNode(facts)} since ${lease.observedAt}, when it last renewed its lease`,
        'the guest runs on; what it does is not known',
      ],
      next: [handlerPods(facts)],
      since: lease.observedAt,
    };
  },
};

export const handlerNoAnswer: Rule = {
  name: 'virt-handler-silent',
  layer: 'node',
  status: 'unknown',
  holds: (facts) => {
    const error = handlerSilent(facts);
    if (error === undefined) return undefined;
    const heard = facts.seen('node/lease')?.observedAt ?? facts.seen('kubernetes/node.schedulable')?.observedAt;
    return {
      because: [
        `no report from virt-handler: ${error}`,
        ...(heard ? [`it was last heard of by the API server at ${heard}`] : []),
        'the guest runs on without it; what it does is not known',
      ],
      next: [handlerPods(facts)],
      since: facts.seen('node/lease')?.observedAt ?? undefined,
    };
  },
};

export const apiServerUnreachable: Rule = {
  name: 'api-server-unreachable',
  layer: 'node',
  status: 'degraded',
  holds: (facts) => {
    const heartbeat = facts.seen('node/heartbeat');
    if (!facts.is('node/virt-handler', 'answers') || nodeClockSkews(facts).length > 0) return undefined;
    if (heartbeat?.freshness !== 'stale' || heartbeat.observedAt === null) return undefined;
    return {
      because: [
        `virt-handler on ${theNode(facts)} answers, but has written nothing to the API server since ${heartbeat.observedAt}`,
        'what the object shows is of then',
      ],
      next: [handlerPods(facts), `look whether ${theNode(facts)} reaches the API server`],
      since: heartbeat.observedAt,
    };
  },
};

export const clockSkew: Rule = {
  name: 'clock-skew',
  layer: 'node',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    const because = clockSkews(facts);
    if (because.length === 0) return undefined;
    return {
      because: [...because, 'ages in this report cannot be compared across these clocks'],
      next: [`on ${theNode(facts)}: timedatectl; chronyc tracking`],
    };
  },
};

export const nodePressure: Rule = {
  name: 'node-under-pressure',
  layer: 'node',
  status: 'degraded',
  holds: (facts) => {
    const types = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];
    const bad = types.flatMap((type) => {
      const condition = facts.condition('node', type);
      return condition?.status === 'True' ? [{ type, ...condition }] : [];
    });
    if (bad.length === 0) return undefined;
    return {
      because: bad.map(({ type, text }) => `${theNode(facts)} reports ${type}${text ? `: ${text}` : ''}`),
      next: [`kubectl describe node ${facts.subject.node ?? ''}`, 'pods may be evicted; make room on the node'],
      since: bad[0]?.since,
    };
  },
};

export const takesNoGuests: Rule = {
  name: 'node-takes-no-guests',
  layer: 'node',
  status: 'healthy',
  remark: true,
  holds: (facts) => {
    const why = facts.live('node/schedulable');
    const cordoned = facts.is('kubernetes/node.unschedulable', true);
    if (typeof why !== 'string' && !cordoned) return undefined;
    return {
      because: [
        `${theNode(facts)} takes no new guests: ${typeof why === 'string' ? why : 'it is cordoned'}; those that run stay`,
      ],
      next: [kubectl(facts, `get node ${facts.subject.node ?? ''} -o wide`)],
    };
  },
};
