// The launcher: its pod, and virt-handler's channel to it. Without it nothing is heard of domain and guest.
import type { Rule } from '../diagnosis/types.ts';
import { describePod, describeVmi, launcherLog, seconds, target, theNode } from './words.ts';

/** A new launcher may take so long to be found in the place of one that ended. */
const SETTLE_SECONDS = 10;
/** An instance that is deleted has ended within its grace period and this. */
const STOP_MARGIN_SECONDS = 60;

export const noLauncherPod: Rule = {
  name: 'running-without-launcher',
  layer: 'kubernetes',
  status: 'broken',
  contradiction: true,
  holds: (facts) => {
    const since = facts.since('kubernetes/vmi.phase');
    if (facts.phase !== 'Running' || !facts.wanted || facts.pods?.length !== 0) return undefined;
    if (since !== undefined && !facts.lasts(since, SETTLE_SECONDS)) return undefined;
    return {
      because: ['the instance is called Running, and there is no launcher pod'],
      next: [describeVmi(facts), `yagura restart ${target(facts)}`],
    };
  },
};

export const podDeleted: Rule = {
  name: 'launcher-pod-deleted',
  layer: 'kubernetes',
  status: 'broken',
  holds: (facts) => {
    const going = facts.pods?.find(({ terminating }) => terminating);
    const others = facts.pods?.some(({ terminating, phase }) => !terminating && phase === 'Running');
    if (going === undefined || others || !facts.wanted || facts.phase === 'Succeeded' || facts.phase === 'Failed')
      return undefined;
    return {
      because: [
        `launcher pod ${going.name ?? ''} is being deleted, and nobody has asked for the end of the instance`,
        'its guest is being shut down with it',
      ],
      next: ['see who deletes pods: a drain, an eviction, a person, a quota', describePod(facts)],
    };
  },
};

export const launcherGone: Rule = {
  name: 'launcher-gone',
  layer: 'node',
  status: 'broken',
  holds: (facts) => {
    const channel = facts.seen('node/launcher.channel');
    if (channel?.freshness !== 'lost' || !facts.is('node/virt-handler', 'answers')) return undefined;
    if (!facts.wanted || facts.phase !== 'Running') return undefined;
    return {
      because: [
        `the launcher is gone from ${theNode(facts)}${channel.observedAt ? `; it last answered at ${channel.observedAt}` : ''}`,
        'what is shown of domain and guest are last words',
      ],
      next: [describePod(facts), launcherLog(facts)],
      since: channel.observedAt ?? undefined,
    };
  },
};

export const launcherSilent: Rule = {
  name: 'launcher-silent',
  layer: 'node',
  status: 'degraded',
  holds: (facts) => {
    const channel = facts.seen('node/launcher.channel');
    if (channel?.freshness !== 'stale' || channel.error === undefined || channel.observedAt === null) return undefined;
    if (!facts.wanted) return undefined;
    return {
      because: [
        `the launcher has not answered for ${seconds(facts, channel.observedAt)}: ${channel.error}`,
        'a guest runs on without its launcher; what it does is not known',
      ],
      next: [
        launcherLog(facts),
        'its supervisor starts a launcher that ends anew; one that hangs is to be ended: kill it inside the pod',
      ],
      since: channel.observedAt,
    };
  },
};

export const launcherUnseen: Rule = {
  name: 'launcher-not-seen',
  layer: 'node',
  status: 'unknown',
  holds: (facts) => {
    const channel = facts.seen('node/launcher.channel');
    if (channel?.freshness !== 'never' || channel.error === undefined) return undefined;
    if (!facts.wanted || facts.phase !== 'Running') return undefined;
    return {
      because: [`virt-handler on ${theNode(facts)} has not heard of the launcher yet: ${channel.error}`],
      next: ['ask again: a virt-handler that has just started finds its launchers first', describePod(facts)],
    };
  },
};

export const notReady: Rule = {
  name: 'not-ready',
  layer: 'kubernetes',
  status: 'degraded',
  holds: (facts) => {
    const ready = facts.condition('vmi', 'Ready');
    if (ready?.status !== 'False' || facts.phase !== 'Running' || !facts.domainRuns) return undefined;
    const runs = facts.since('kubernetes/vmi.phase');
    if (!facts.lasts(runs, 60) || !facts.lasts(ready.since, 60)) return undefined;
    return {
      because: [`the guest runs, and counts as not ready: ${ready.text}`],
      next: [describePod(facts), 'a Service leaves it out until then'],
      since: ready.since,
    };
  },
};

export const stopTakesLong: Rule = {
  name: 'stop-takes-long',
  layer: 'kubernetes',
  status: 'degraded',
  holds: (facts) => {
    const asked = facts.text('kubernetes/vmi.deletionTimestamp');
    const grace = facts.live('kubernetes/vmi.gracePeriodSeconds');
    if (typeof grace !== 'number' || !facts.lasts(asked, grace + STOP_MARGIN_SECONDS)) return undefined;
    return {
      because: [`the instance is being deleted for ${seconds(facts, asked)}, its grace period is ${grace} s`],
      next: [describeVmi(facts), `yagura stop ${target(facts)} --grace-period 0`],
      since: asked,
    };
  },
};

export const twoLaunchers: Rule = {
  name: 'two-launchers',
  layer: 'kubernetes',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    const running = (facts.pods ?? []).filter(({ phase, terminating }) => phase === 'Running' && !terminating);
    if (running.length < 2 || !facts.is('migration/state', 'none')) return undefined;
    return {
      because: [
        `${running.length} launcher pods run without a migration: ${running.map(({ name }) => name ?? '?').join(', ')}`,
      ],
      next: [describeVmi(facts), 'the pod that status.activePods does not name is the one to delete'],
    };
  },
};
