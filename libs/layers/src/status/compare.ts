import type { JsonValue, Layer, Observation } from '../observation.ts';

/** A status field as the object shows it, and what the source of that field says now. */
export interface StatusComparison {
  /** Path in the instance, e.g. `status.phase`. */
  field: string;
  shown: JsonValue;
  /** Layer and field that it comes from. */
  source: string;
  /** What the source says now, in the words of the status field; null when it is not heard of. */
  now: JsonValue;
  /** Whether the two agree; null when that is not known. */
  agrees: boolean | null;
  /** Seconds for which the object has been behind: 0 when it is not, null when nobody knows. */
  lagSeconds: number | null;
}

/** What the sources of status fields say, by domain state: these words of libvirt are a guest that runs, paused or not. */
const ACTIVE = ['running', 'blocked', 'paused', 'shutdown', 'pm suspended'];
const ENDED: Readonly<Record<string, string>> = { shutdown: 'Succeeded', destroyed: 'Failed' };

/** Beside each status field that a source on the node speaks of, what that says now, and how far the object is behind. */
export function compareStatus(observations: readonly Observation[], now: Date): StatusComparison[] {
  const report = new Reading(observations, now);
  // Without an object there is nothing that could be behind.
  if (!report.isLive('kubernetes', 'vmi.phase')) return [];
  return [
    ...report.compare(
      'status.phase',
      ['kubernetes', 'vmi.phase'],
      ['domain', 'state'],
      phaseOf,
      report.since('domain', 'since'),
    ),
    ...report.compare(
      'Paused condition',
      ['kubernetes', 'vmi.paused'],
      ['domain', 'state'],
      (state) => state === 'paused' && isAsked(report.value('domain', 'reason')),
      report.since('domain', 'since'),
    ),
    ...report.compare(
      'AgentConnected condition',
      ['kubernetes', 'vmi.condition.AgentConnected'],
      ['guest', 'agent.channel'],
      (channel) => channel === 'connected',
      report.sinceOf('guest', 'agent.channel'),
      (shown) => typeof shown === 'string' && shown.startsWith('True'),
    ),
    ...report.compare('status.guestOSInfo', ['kubernetes', 'vmi.guestOS'], ['guest', 'os'], (os) => os),
    ...report.compare(
      'status.fsFreezeStatus',
      ['kubernetes', 'vmi.fsFreezeStatus'],
      ['guest', 'fsFreeze'],
      (freeze) => freeze,
      undefined,
      (shown) => shown ?? 'thawed',
    ),
    ...report.interfaces(),
  ];
}

/** Pauses that the Paused condition tells of; libvirt pauses a domain for a moment as well. */
function isAsked(reason: JsonValue): boolean {
  return typeof reason === 'string' && ['user', 'ioerror'].includes(reason.toLowerCase().replaceAll(/[^a-z]/g, ''));
}

function phaseOf(state: JsonValue, report: Reading): JsonValue {
  if (typeof state === 'string' && ACTIVE.includes(state)) return 'Running';
  const outcome = report.value('domain', 'end.outcome');
  return typeof outcome === 'string' ? (ENDED[outcome] ?? 'Failed') : null;
}

type Path = readonly [Layer, string];

class Reading {
  readonly #observations: readonly Observation[];
  readonly #now: Date;

  constructor(observations: readonly Observation[], now: Date) {
    this.#observations = observations;
    this.#now = now;
  }

  find(layer: Layer, field: string): Observation | undefined {
    return this.#observations.find((one) => one.layer === layer && one.field === field);
  }

  isLive(layer: Layer, field: string): boolean {
    return this.find(layer, field)?.freshness === 'live';
  }

  /** The live value; null without one. */
  value(layer: Layer, field: string): JsonValue {
    return this.isLive(layer, field) ? (this.find(layer, field)?.value ?? null) : null;
  }

  /** A live value that is a time. */
  since(layer: Layer, field: string): string | undefined {
    const value = this.value(layer, field);
    return typeof value === 'string' ? value : undefined;
  }

  sinceOf(layer: Layer, field: string): string | undefined {
    return this.find(layer, field)?.since;
  }

  compare(
    field: string,
    [shownLayer, shownField]: Path,
    [layer, sourceField]: Path,
    translate: (value: JsonValue, report: Reading) => JsonValue,
    since?: string,
    read: (shown: JsonValue) => JsonValue = (shown) => shown,
  ): StatusComparison[] {
    const source = this.find(layer, sourceField);
    if (source === undefined) return [];
    const shown = read(this.value(shownLayer, shownField));
    const now = this.isLive(layer, sourceField) ? translate(source.value, this) : null;
    if (shown === null && now === null) return [];
    return [this.#judged({ field, shown, source: `${layer} ${sourceField}`, now }, now === shown, since)];
  }

  /** Addresses: the first that is shown is one that its source has. */
  interfaces(): StatusComparison[] {
    return this.#observations.flatMap(({ layer, field, value, source: rule }) => {
      const name = layer === 'network' ? /^(.*)\.chosen$/.exec(field)?.[1] : undefined;
      if (name === undefined) return [];
      const from = rule.includes("the pod's address") ? 'podIPs' : 'guestAddresses';
      const now = this.value('network', `${name}.${from}`);
      const agrees = Array.isArray(now) && (value === null ? now.length === 0 : now.includes(value));
      const source = `network ${name}.${from}`;
      return [this.#judged({ field: `status.interfaces[${name}].ipAddress`, shown: value, source, now }, agrees)];
    });
  }

  #judged(
    part: Pick<StatusComparison, 'field' | 'shown' | 'source' | 'now'>,
    agrees: boolean,
    since?: string,
  ): StatusComparison {
    if (part.now === null) return { ...part, agrees: null, lagSeconds: null };
    const behind = since === undefined ? Number.NaN : (this.#now.getTime() - Date.parse(since)) / 1000;
    const lag = Number.isNaN(behind) ? null : Math.max(0, Math.round(behind * 10) / 10);
    return { ...part, agrees, lagSeconds: agrees ? 0 : lag };
  }
}
