import type { Layer } from '../observation.ts';
import type { RunSummary, Timeline } from './types.ts';

export interface Selection {
  layers?: readonly Layer[] | undefined;
  /** Milliseconds before the timeline was made. */
  sinceMs?: number | undefined;
}

/** The timeline with those entries alone. */
export function selected(timeline: Timeline, { layers, sinceMs }: Selection): Timeline {
  const from = sinceMs === undefined ? undefined : Date.parse(timeline.generatedAt) - sinceMs;
  const entries = timeline.entries.filter(
    ({ layer, time }) =>
      (layers === undefined || layers.includes(layer)) && (from === undefined || Date.parse(time) >= from),
  );
  return { ...timeline, entries };
}

/** What is recorded now is newer than what is not, and otherwise what began later. */
export function newestFirst(runs: readonly RunSummary[]): RunSummary[] {
  return [...runs].sort(
    (a, b) => Number(b.recording) - Number(a.recording) || Date.parse(b.startedAt) - Date.parse(a.startedAt),
  );
}
