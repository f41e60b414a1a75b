export { documentedMetrics, exportedMetrics } from './metrics-page.ts';
export { promtoolProblems } from './promtool.ts';
