export { kubernetesLayer } from './layer.ts';
export { type Get, handlerLeaseName, type Reading, type ReadOptions, readKubernetes } from './read.ts';
export { conditionText, join } from './samples.ts';
export type { ServerClock } from './server-clock.ts';
export type { KubernetesView } from './view.ts';
