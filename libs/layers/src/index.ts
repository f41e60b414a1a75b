export { diagnose } from './diagnosis/diagnose.ts';
export { renderDiagnosis } from './diagnosis/text.ts';
export type { Diagnosis, Finding, Status } from './diagnosis/types.ts';
export { byFamily, isLinkLocal } from './interfaces/addresses.ts';
export { GUEST_ONLY_LIMIT, guestOf, type MergeInput, mergeInterfaces } from './interfaces/merge.ts';
export type {
  DomainInterfaceView,
  GuestInterfaceView,
  InterfaceIntent,
  InterfaceStatus,
} from './interfaces/types.ts';
export { lastChanges, type NodeAnswer, nodeAnswer, nodeObservations } from './node-answer.ts';
export {
  type Freshness,
  freshness,
  type JsonValue,
  type Layer,
  layers,
  type Observation,
  observe,
  type Sample,
  type SourceState,
} from './observation.ts';
export { type LayersReport, type LogTail, layersReport, type ReportSubject } from './report.ts';
export type { StatusComparison } from './status/compare.ts';
export { formatAge, renderLayers, renderStatus } from './table.ts';
