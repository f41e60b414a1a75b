import type { Sample } from '../observation.ts';
import { sample, toDate, unanswered } from './samples.ts';
import type { KubernetesView, LeaseView, Looked } from './view.ts';

const LEASE_SECONDS = 15;
const SOURCE = 'Lease';

/** Who shows by a lease that it lives: virt-controller's leader, and the virt-handler of the machine's node. */
export function leaseSamples({ controllerLease, handlerLease, clock }: KubernetesView, now: Date): Sample[] {
  return [
    // The next leader waits for the lease to end, then takes it.
    ...leaseSample('virt-controller.lease', controllerLease, 2, now),
    ...leaseSample('lease', handlerLease ?? { found: undefined }, 1, now).map(
      (one): Sample => ({ ...one, layer: 'node' }),
    ),
    ...(clock === undefined
      ? []
      : [sample('clock', new Date(now.getTime() + clock.aheadMs).toISOString(), clock.of, now)]),
  ];
}

/** Dated by the API server, which took it: the clock of whoever renews it may be wrong. */
function leaseSample(field: string, looked: Looked<LeaseView>, terms: number, now: Date): Sample[] {
  const lease = looked.found;
  if (lease === undefined) {
    const { error } = looked as { error?: string };
    return error === undefined ? [] : [unanswered(field, SOURCE, error)];
  }
  const { renewTime, leaseDurationSeconds } = lease.spec ?? {};
  const written = (lease.metadata?.managedFields ?? []).flatMap(({ time }) => time ?? []).sort();
  return [
    {
      ...sample(field, renewTime, SOURCE, now),
      observedAt: toDate(written.at(-1) ?? renewTime),
      // A leader that goes gives its lease up by a term of a second; the next one takes it when it is there.
      maxAge: terms * Math.max(leaseDurationSeconds ?? LEASE_SECONDS, LEASE_SECONDS),
    },
  ];
}
