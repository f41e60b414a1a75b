import { createHash } from 'node:crypto';
import type { KubeClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { errorText, isAlreadyExists, isForbidden, isNotFound } from './errors.ts';
import { type Logger, silentLogger } from './logger.ts';
import { rfc3339 } from './micro-time.ts';
import { apiVersionOf, type KubeObject, type Resource } from './objects.ts';
import { defineResource } from './resources.ts';
import { TokenBuckets } from './token-buckets.ts';

export interface EventSubject {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  uid?: string;
}
interface CoreEvent extends KubeObject {
  involvedObject: EventSubject;
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  source: { component: string; host?: string };
  reportingComponent: string;
  reportingInstance: string;
}
export interface EventRecorderOptions {
  /** Shown as the event's source, e.g. `virtualmachine-controller`. */
  component: string;
  /** Node or pod name. */
  instance?: string;
  clock?: Clock;
  log?: Logger;
  /** Repetitions of one event are counted and written at most so often; default 60 s. */
  repeatMs?: number;
}

const resource = defineResource<CoreEvent>('v1', 'Event', 'events');
const MAX_QUEUED = 1000;
const MAX_REMEMBERED = 4096;

interface Remembered {
  event: CoreEvent;
  unwritten: number;
  scheduled: boolean;
}

export function subjectOf(kind: Resource, object: KubeObject): EventSubject {
  const { name = '', namespace, uid } = object.metadata ?? {};
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
  };
}

/** Writes core/v1 Events in the background: one Event object per distinct (object, reason, message), repetitions only raise its count. Never blocks, never throws. */
export class EventRecorder {
  readonly #client: Pick<KubeClient, 'create' | 'patch'>;
  readonly #options: Required<Omit<EventRecorderOptions, 'instance'>> & { instance: string };
  readonly #remembered = new Map<string, Remembered>();
  readonly #buckets: TokenBuckets;
  readonly #queue: Remembered[] = [];
  #draining: Promise<void> = Promise.resolve();
  #busy = false;
  /** Events not written because of the rate limit, a full queue or a refusing server. */
  dropped = 0;

  constructor(client: Pick<KubeClient, 'create' | 'patch'>, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = { clock: systemClock, log: silentLogger, repeatMs: 60_000, instance: '', ...options };
    // 25 at once for one object, then one in five minutes.
    this.#buckets = new TokenBuckets(25, 1 / 300, this.#options.clock);
  }

  normal(subject: EventSubject, reason: string, message: string): void {
    this.record(subject, 'Normal', reason, message);
  }

  warning(subject: EventSubject, reason: string, message: string): void {
    this.record(subject, 'Warning', reason, message);
  }

  record(subject: EventSubject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const event = this.#build(subject, type, reason, message.slice(0, 1024));
    const name = event.metadata?.name ?? '';
    const known = this.#remembered.get(name);
    if (known) {
      known.unwritten += 1;
      known.event.lastTimestamp = event.lastTimestamp;
      if (!known.scheduled) {
        known.scheduled = true;
        this.#options.clock.after(this.#options.repeatMs, () => this.#push(known));
      }
      return;
    }
    if (!this.#buckets.take(subject.uid ?? `${subject.namespace}/${subject.name}`)) {
      this.dropped += 1;
      return;
    }
    const entry = { event, unwritten: 1, scheduled: true };
    this.#remembered.set(name, entry);
    const oldest = this.#remembered.keys().next().value;
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    this.#push(entry);
  }

  /** Resolves when all that was queued so far has been tried. */
  async flush(): Promise<void> {
    while (this.#busy) await this.#draining;
  }

  #build(subject: EventSubject, type: 'Normal' | 'Warning', reason: string, message: string): CoreEvent {
    const { component, instance, clock } = this.#options;
    const now = rfc3339(clock.now());
    const identity = [subject.uid, type, reason, message, component].join('\0');
    // Named by content: a restarted component finds the Event it wrote before instead of writing a second one.
    const suffix = createHash('sha256').update(identity).digest('hex').slice(0, 16);
    return {
      metadata: { name: `${subject.name.slice(0, 236)}.${suffix}`, namespace: subject.namespace ?? 'default' },
      involvedObject: subject,
      type,
      reason,
      message,
      count: 0,
      firstTimestamp: now,
      lastTimestamp: now,
      source: { component, ...(instance ? { host: instance } : {}) },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }

  #push(entry: Remembered): void {
    if (this.#queue.length >= MAX_QUEUED) {
      this.dropped += 1;
      entry.scheduled = false;
      return;
    }
    this.#queue.push(entry);
    if (this.#busy) return;
    this.#busy = true;
    this.#draining = this.#drain();
  }

  async #drain(): Promise<void> {
    for (let entry = this.#queue.shift(); entry; entry = this.#queue.shift()) {
      const times = entry.unwritten;
      entry.unwritten = 0;
      entry.scheduled = false;
      try {
        await this.#write(entry.event, times);
      } catch (error) {
        this.dropped += times;
        if (entry.event.count === 0) this.#remembered.delete(entry.event.metadata?.name ?? '');
        this.#tell(entry.event, error);
      }
    }
    this.#busy = false;
  }

  /** That the namespace is gone or going says nothing about us. */
  #tell(event: CoreEvent, error: unknown): void {
    const fields = { error: errorText(error), reason: event.reason, object: event.involvedObject.name };
    if (isNotFound(error) || isForbidden(error)) this.#options.log.debug(fields, 'event not written');
    else this.#options.log.warn(fields, 'event not written');
  }

  async #write(event: CoreEvent, times: number): Promise<void> {
    const target = { namespace: event.metadata?.namespace ?? 'default', name: event.metadata?.name ?? '' };
    if (event.count > 0) {
      try {
        await this.#raise(event, target, event.count + times);
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        event.firstTimestamp = event.lastTimestamp;
      }
    }
    try {
      await this.#client.create(resource, { ...event, count: times }, { timeoutMs: 10_000 });
      event.count = times;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Written before by a predecessor of this process: go on counting from there.
      const body = { lastTimestamp: event.lastTimestamp };
      const existing = await this.#client.patch(resource, target, { type: 'merge', body }, { timeoutMs: 10_000 });
      event.count = existing.count ?? 1;
    }
  }

  async #raise(event: CoreEvent, target: { namespace: string; name: string }, count: number): Promise<void> {
    const body = { count, lastTimestamp: event.lastTimestamp };
    await this.#client.patch(resource, target, { type: 'merge', body }, { timeoutMs: 10_000 });
    event.count = count;
  }
}
