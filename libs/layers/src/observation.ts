/** The seven layers of truth about a virtual machine, from far to near. */
export const layers = ['kubernetes', 'node', 'domain', 'guest', 'network', 'migration', 'metrics'] as const;
export type Layer = (typeof layers)[number];

/**
 * How far a value can be trusted now: `live` is younger than its maximal age, `stale` is older or its source failed to
 * renew it, `lost` is the last word of a source that is gone, `never` was not seen yet, `unsupported` cannot be had.
 */
export type Freshness = 'live' | 'stale' | 'lost' | 'never' | 'unsupported';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** How a source stands, apart from the age of what it said last. */
export type SourceState = 'answering' | 'failing' | 'gone' | 'unsupported';

/** What one source last said about one field. */
export interface Sample {
  layer: Layer;
  field: string;
  value?: JsonValue | undefined;
  /** Who says so, e.g. `libvirt`, `guest-agent`, `pod status`. */
  source: string;
  /** When the source last confirmed the value; absent when it never did. */
  observedAt?: Date | undefined;
  /** Since when the value is what it is, where the source tells. */
  since?: Date | undefined;
  /** Seconds for which the value counts as live; null for one that is watched, where no news is no change. */
  maxAge: number | null;
  state: SourceState;
  /** The last failure of the source, in its own words. */
  error?: string | undefined;
}

/** A sample as it is served: with its freshness at the time of serving. */
export interface Observation {
  layer: Layer;
  field: string;
  value: JsonValue;
  source: string;
  /** RFC 3339; null when never seen. */
  observedAt: string | null;
  /** RFC 3339: since when the value is what it is, where the source tells. */
  since?: string;
  /** Seconds; null: until told otherwise. */
  maxAge: number | null;
  freshness: Freshness;
  error?: string;
}

/** The freshness of a sample at `now`. A source that is gone makes its last word lost, however young that is. */
export function freshness(sample: Pick<Sample, 'observedAt' | 'maxAge' | 'state'>, now: Date): Freshness {
  if (sample.state === 'unsupported') return 'unsupported';
  if (sample.observedAt === undefined) return 'never';
  if (sample.state === 'gone') return 'lost';
  if (sample.state === 'failing') return 'stale';
  const limit = sample.maxAge ?? Number.POSITIVE_INFINITY;
  return now.getTime() - sample.observedAt.getTime() > limit * 1000 ? 'stale' : 'live';
}

/** The sample as it stands at `now`. A value that was never seen is null, whatever the sample holds. */
export function observe(sample: Sample, now: Date): Observation {
  const fresh = freshness(sample, now);
  return {
    layer: sample.layer,
    field: sample.field,
    value: fresh === 'never' || fresh === 'unsupported' ? null : (sample.value ?? null),
    source: sample.source,
    observedAt: sample.observedAt?.toISOString() ?? null,
    ...(sample.since === undefined || Number.isNaN(sample.since.getTime())
      ? {}
      : { since: sample.since.toISOString() }),
    maxAge: sample.maxAge,
    freshness: fresh,
    ...(sample.error === undefined ? {} : { error: sample.error }),
  };
}
