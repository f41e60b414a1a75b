// The node and those who watch it: who is not heard of, before anything is said of the guest.
import type { Facts } from '../diagnosis/facts.ts';
import type { Rule } from '../diagnosis/types.ts';
import { clockSkews, nodeClockSkews } from './clocks.ts';
import { kubectl, theNode } from './words.ts';

/** Why virt-handler gives no report; of a run that is over nobody expects any. */
const handlerSilent = (facts: Facts) =>
  facts.phase === 'Succeeded' || facts.phase === 'Failed' ? undefined : facts.failure('node/virt-handler');
const nodeDown = (facts: Facts) => facts.is('kubernetes/node.ready', 'False', 'Unknown');
const handlerPods = (facts: Facts) =>
  `kubectl get pods -A -l kubevirt.io=virt-handler -o wide --field-selector spec.nodeName=${facts.subject.node ?? ''}`;

export const virtApiSilent: Rule = {
  name: 'virt-api-silent',
  layer: 'kubernetes',
  status: 'unknown',
  holds: (facts) => {
    const error = facts.failure('kubernetes/virt-api');
    if (error === undefined) return undefined;
    return {
      because: [`virt-api does not answer: ${error}`, 'guests run on without it'],
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
    if (!failed && !(nodeDown(facts) && silence !== undefined)) return undefined;
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
    if (!nodeDown(facts) || !facts.is('node/virt-handler', 'answers')) return undefined;
    const why = facts.seen('kubernetes/node.ready')?.error;
    return {
      because: [
        `Kubernetes calls ${theNode(facts)} not ready${why ? ` (${why})` : ''}, yet its virt-handler answers`,
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
    if (handlerSilent(facts) === undefined || nodeDown(facts)) return undefined;
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
    const heartbeat = facts.seen('kubernetes/node.schedulable')?.observedAt;
    return {
      because: [
        `no report from virt-handler: ${error}`,
        ...(heartbeat ? [`its last heartbeat is of ${heartbeat}`] : []),
        'the guest runs on without it; what it does is not known',
      ],
      next: [handlerPods(facts)],
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
