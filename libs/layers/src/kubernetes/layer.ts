import { type Observation, observe } from '../observation.ts';
import { claimSamples } from './claims.ts';
import { eventSamples } from './events.ts';
import { leaseSamples } from './leases.ts';
import { vmiSamples, vmSamples } from './machine.ts';
import { migrationSamples } from './migrations.ts';
import { nodeSamples } from './node.ts';
import { podSamples } from './pods.ts';
import type { KubernetesView } from './view.ts';

/** The observations of the kubernetes layer, each by the object and field that says so. @param now by the API server's clock */
export function kubernetesLayer(view: KubernetesView, now: Date): Observation[] {
  return [
    ...vmSamples(view, now),
    ...vmiSamples(view, now),
    ...migrationSamples(view, now),
    ...podSamples(view, now),
    ...claimSamples(view, now),
    ...nodeSamples(view, now),
    ...leaseSamples(view, now),
    ...eventSamples(view, now),
  ].map((sample) => observe(sample, now));
}
