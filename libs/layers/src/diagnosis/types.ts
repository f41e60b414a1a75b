import type { Layer } from '../observation.ts';
import type { Facts } from './facts.ts';

/** `unknown`: not enough is known to say; it is never an alarm about the guest. */
export const statuses = ['healthy', 'degraded', 'broken', 'unknown'] as const;
export type Status = (typeof statuses)[number];

/** What makes a rule hold. */
export interface Evidence {
  /** What was seen, a sentence each, the strongest first. */
  because: string[];
  /** What to do, the most useful first; commands as they can be typed. */
  next?: string[];
  /** RFC 3339: since when it is so, where a source tells. */
  since?: string | undefined;
  /** Instead of the rule's own, where less is known than it usually is. */
  status?: Status;
}

/**
 * A named statement about a machine. It holds only on what was seen: an observation that is missing makes no rule hold
 * but those of status `unknown`. A rule of status `healthy` names an ordinary state.
 */
export interface Rule {
  name: string;
  layer: Layer;
  status: Status;
  /** Two layers say what cannot both be true. */
  contradiction?: true;
  /** Never a verdict: said beside one. */
  remark?: true;
  holds: (facts: Facts) => Evidence | undefined;
}

/** A rule that holds, with its evidence. */
export interface Finding {
  status: Status;
  layer: Layer;
  /** Name of the rule. */
  signal: string;
  /** RFC 3339; null when no source tells. */
  since: string | null;
  because: string[];
  next: string[];
}

/** The judgement of a layer report. */
export interface Diagnosis {
  kind: 'Diagnosis';
  apiVersion: 'subresources.kubevirt.io/v1';
  metadata: { namespace: string; name: string; uid?: string };
  node?: string;
  /** RFC 3339: of the report. */
  generatedAt: string;
  /** The first cause of the worst that is wrong, or the ordinary state that the machine is in. */
  verdict: Finding;
  /** What else is wrong, in the order of causes. */
  others: Finding[];
  /** Layers that disagree; the verdict may be one of them. */
  contradictions: Finding[];
  /** Nothing wrong, yet worth knowing. */
  remarks: Finding[];
}
