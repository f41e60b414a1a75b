export { type RecordedEvent, type RunHead, RunRecord, readHead } from './record.ts';
export { RETENTION, type RetentionLimits, type SpooledRun, toForget } from './retention.ts';
export { newestFirst, type Selection, selected } from './select.ts';
export { renderEntries, renderRuns, renderTimeline, timelineTitle } from './text.ts';
export type { RunSummary, Timeline, TimelineEntry } from './types.ts';
