// Migration is in trouble: the first cause that its own object, the job and the pods tell.
import type { Rule } from '../diagnosis/types.ts';
import { describeVmi, kubectl, seconds } from './words.ts';

/** A job that moves nothing for so long is stuck. */
const STALL_SECONDS = 60;

export const targetOnSource: Rule = {
  name: 'target-on-source-node',
  layer: 'migration',
  status: 'broken',
  contradiction: true,
  holds: (facts) => {
    const source = facts.text('migration/sourceNode');
    if (
      !facts.is('migration/state', 'running') ||
      source === undefined ||
      source !== facts.text('migration/targetNode')
    )
      return undefined;
    return {
      because: [`the migration's target is on its source node, ${source}: it cannot succeed`],
      next: [kubectl(facts, 'get vmim'), 'cancel it; see why no other node takes the target pod'],
    };
  },
};

export const migrationStalled: Rule = {
  name: 'migration-stalled',
  layer: 'migration',
  status: 'degraded',
  holds: (facts) => {
    const since = facts.text('migration/job.stalledSince');
    if (!facts.is('migration/state', 'running') || !facts.lasts(since, STALL_SECONDS)) return undefined;
    return {
      because: [`the migration has moved nothing more for ${seconds(facts, since)}; the guest runs on at its source`],
      next: [
        'the guest dirties memory faster than it is moved, or the network between the nodes is down',
        kubectl(facts, 'get vmim'),
      ],
      since,
    };
  },
};

export const migrationFailed: Rule = {
  name: 'migration-failed',
  layer: 'migration',
  status: 'degraded',
  holds: (facts) => {
    // One that failed long ago is history.
    if (!facts.is('migration/state', 'failed') || facts.stopping) return undefined;
    const since = facts.since('migration/state');
    if (facts.lasts(since, 600)) return undefined;
    const reason = facts.text('migration/failureReason');
    return {
      because: [`the last migration has failed${reason ? `: ${reason}` : ''}; the guest runs on at its source`],
      next: [kubectl(facts, 'get vmim'), describeVmi(facts)],
      since,
    };
  },
};

export const notMigratable: Rule = {
  name: 'not-migratable',
  layer: 'migration',
  status: 'healthy',
  remark: true,
  holds: (facts) => {
    const condition = facts.condition('vmi', 'LiveMigratable');
    if (condition?.status !== 'False') return undefined;
    const others = (facts.list('migration/blockers') ?? []).filter((blocker) => blocker !== condition.text);
    return {
      because: [`the guest cannot be moved while it runs: ${condition.text}`, ...others.map((text) => `also ${text}`)],
      since: condition.since,
    };
  },
};
