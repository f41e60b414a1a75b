import { collectDefaultMetrics, Registry } from '@prometheus-io/client';

export { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
export {
  counter,
  type Family,
  gauge,
  registerFamilies,
  type Series,
  type SeriesLabels,
} from './families.ts';

/** A registry of its own for each program, with the process's default series in it. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
