import type { JsonValue, Layer, Observation } from '../observation.ts';
import type { LayersReport } from '../report.ts';

export type Path = `${Layer}/${string}`;

export interface ConditionFact {
  status: 'True' | 'False' | 'Unknown';
  /** Reason and message as `Reason: message`; either may be missing. */
  text: string;
  /** Its reason is this one. */
  is(reason: string): boolean;
  since: string | undefined;
}

export interface PodFact {
  /** Undefined where the report does not name it. */
  name: string | undefined;
  phase: string;
  terminating: boolean;
}

/** A layer report as rules read it. Whatever is not there, or is of another shape, is undefined. */
export class Facts {
  readonly subject: { namespace: string; name: string; node: string | undefined };
  /** Milliseconds since the epoch of the moment that the report is about. */
  readonly now: number;
  readonly #observations = new Map<string, Observation>();

  constructor(report: LayersReport) {
    const { namespace, name } = report.metadata;
    this.subject = { namespace, name, node: report.node };
    this.now = Date.parse(report.generatedAt);
    for (const observation of report.observations) {
      const path = `${observation.layer}/${observation.field}`;
      if (!this.#observations.has(path)) this.#observations.set(path, observation);
    }
  }

  /** What was observed there, however old. */
  seen(path: Path): Observation | undefined {
    return this.#observations.get(path);
  }

  /** The value, when it can be trusted now. */
  live(path: Path): JsonValue | undefined {
    const observation = this.seen(path);
    return observation?.freshness === 'live' ? observation.value : undefined;
  }

  text(path: Path): string | undefined {
    const value = this.live(path);
    return typeof value === 'string' ? value : undefined;
  }

  /** The live value is one of these. */
  is(path: Path, ...values: JsonValue[]): boolean {
    const value = this.live(path);
    return value !== undefined && values.includes(value);
  }

  /** The strings of a live list. */
  list(path: Path): string[] | undefined {
    const value = this.live(path);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
  }

  /** What its source failed with last; undefined when it did not fail. */
  failure(path: Path): string | undefined {
    const observation = this.seen(path);
    return observation === undefined || observation.freshness === 'live' ? undefined : observation.error;
  }

  since(path: Path): string | undefined {
    return this.seen(path)?.since;
  }

  /** For at least so many seconds, as the source tells; false where it does not. */
  lasts(since: string | undefined, seconds: number): boolean {
    return since !== undefined && this.now - Date.parse(since) >= seconds * 1000;
  }

  /** All observations whose field matches, with its first group as `key`. */
  matching(layer: Layer, pattern: RegExp): { key: string; observation: Observation }[] {
    return [...this.#observations.values()].flatMap((observation) => {
      const match = observation.layer === layer ? pattern.exec(observation.field) : null;
      return match === null ? [] : [{ key: match[1] ?? '', observation }];
    });
  }

  /** A live condition, of `vm`, `vmi`, `pod` or `node`. */
  condition(owner: 'vm' | 'vmi' | 'pod' | 'node', type: string): ConditionFact | undefined {
    const path: Path = `kubernetes/${owner}.condition.${type}`;
    const match = /^(True|False|Unknown)(?:: (.*))?$/s.exec(this.text(path) ?? '');
    if (match === null) return undefined;
    const text = match[2] ?? '';
    const is = (reason: string) => text === reason || text.startsWith(`${reason}: `);
    return { status: match[1] as ConditionFact['status'], text, is, since: this.since(path) };
  }

  /** The launcher pods; undefined when nobody could look. */
  get pods(): PodFact[] | undefined {
    const found = this.matching('kubernetes', /^pod(?:\[(.*)\])?\.phase$/).filter(
      ({ observation }) => observation.freshness === 'live' && typeof observation.value === 'string',
    );
    if (found.length === 0) return undefined;
    return found.flatMap(({ key, observation }) => {
      const value = String(observation.value);
      if (value === NO_POD) return [];
      const [phase = '', terminating] = value.split(' (terminating');
      return [{ name: key || this.text('kubernetes/pod.name'), phase, terminating: terminating !== undefined }];
    });
  }

  get phase(): string | undefined {
    return this.text('kubernetes/vmi.phase');
  }

  /** Somebody has asked for the end of the run, or the guest ends it itself. */
  get stopping(): boolean {
    const asked = this.live('kubernetes/vmi.deletionTimestamp') ?? this.live('domain/shutdownRequestedAt') ?? null;
    return asked !== null || this.is('domain/state', 'shutdown');
  }

  /** Nobody wants the run to end; known for certain, so false also when it is not known. */
  get wanted(): boolean {
    return this.is('kubernetes/vmi.deletionTimestamp', null) && !this.stopping;
  }

  /** The domain runs for libvirt, and nobody has asked its guest to end; false also when it is not known. */
  get domainRuns(): boolean {
    return this.wanted && this.is('domain/state', 'running') && this.is('domain/shutdownRequestedAt', null);
  }
}

/** What the report says in place of a pod's phase where there is none. */
export const NO_POD = 'no launcher pod';
/** What the report says in place of an instance's phase where there is none. */
export const NO_INSTANCE = 'no such object';
