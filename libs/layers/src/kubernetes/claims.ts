import type { JsonValue, Sample } from '../observation.ts';
import { newestFirst } from './events.ts';
import { join, NO_OBJECT, sample, unanswered } from './samples.ts';
import type { ClaimLook, ClaimView, KubernetesView } from './view.ts';

const NOT_YET = 'not there yet: its DataVolume makes it';

/** The claims that the machine names: missing, or their phase with the reason for it. */
export function claimSamples(view: KubernetesView, readAt: Date): Sample[] {
  return (view.claims ?? []).map((look) => claimSample(look, view, readAt));
}

function claimSample({ name, ofDataVolume, claim }: ClaimLook, view: KubernetesView, readAt: Date): Sample {
  const [field, source] = [`pvc.${name}`, 'PersistentVolumeClaim'];
  if (claim.found !== undefined) return sample(field, phaseOf(claim.found, view), source, readAt);
  if (claim.error !== undefined) return unanswered(field, source, claim.error);
  return sample(field, ofDataVolume ? NOT_YET : NO_OBJECT, source, readAt);
}

function phaseOf({ metadata, status }: ClaimView, view: KubernetesView): JsonValue {
  const phase = status?.phase ?? 'Pending';
  if (phase === 'Bound') return metadata?.deletionTimestamp ? 'Bound (terminating)' : phase;
  // Why it is so is said nowhere but in its events.
  const [event] = newestFirst(
    (view.events?.found ?? []).filter(({ involvedObject: about }) => about?.uid === metadata?.uid && about?.uid),
  );
  return event === undefined ? phase : join(phase, join(event.reason ?? '', event.message));
}
