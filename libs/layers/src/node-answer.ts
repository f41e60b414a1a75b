import { type Observation, observe, type Sample } from './observation.ts';
import type { LayersReport } from './report.ts';

/** What came of asking a node's virt-handler for its layers. */
export type NodeAnswer =
  | Pick<LayersReport, 'observations' | 'changes'>
  /** It was asked, and gave none. */
  | { silent: string }
  /** It could not be asked, which says nothing about it. */
  | { unreachable: string };

/** The layers of a report of virt-handler; anything else is no report. */
export function nodeAnswer(node: string, body: string): NodeAnswer {
  try {
    const report = JSON.parse(body) as Partial<LayersReport>;
    if (Array.isArray(report.observations)) {
      const { observations, changes } = report;
      return { observations, ...(Array.isArray(changes) ? { changes } : {}) };
    }
  } catch {
    // No JSON: told like anything else that is no report.
  }
  return { silent: `virt-handler on node ${node} answers no observations` };
}

/** The answer as observations, the first of them of virt-handler itself. @param source who asked */
export function nodeObservations(answer: NodeAnswer, source: string, now: Date): Observation[] {
  const base = { layer: 'node', source, maxAge: 10 } as const;
  const unheard = (field: string, error: string): Sample => ({
    ...base,
    field,
    observedAt: undefined,
    state: 'failing',
    error,
  });
  if ('unreachable' in answer) return [observe(unheard('exec', answer.unreachable), now)];
  if ('silent' in answer) return [observe(unheard('virt-handler', answer.silent), now)];
  const answers: Sample = { ...base, field: 'virt-handler', value: 'answers', observedAt: now, state: 'answering' };
  return [observe(answers, now), ...answer.observations];
}

/** What the node says has changed last. */
export function lastChanges(answer: NodeAnswer | undefined): LayersReport['changes'] {
  return answer !== undefined && 'changes' in answer ? answer.changes : undefined;
}
