import {
  CLOSE_REASONS,
  type CloseReason,
  type DomainEvent,
  type DomainEventType,
  decodeEvent,
  EVENT_IDS,
  type NativeEvent,
} from './events.ts';
import { toIndex } from './flags.ts';
import { nameOf } from './states.ts';

export interface Subscription {
  /** Ends the subscription; a second close does nothing. */
  close(): Promise<void>;
}

export interface Registrar {
  register(eventId: number): Promise<unknown>;
  unregister(eventId: number): Promise<unknown>;
}

interface Topic {
  readonly listeners: Set<(event: DomainEvent) => void>;
  registered: boolean;
  /** The last step of registering or deregistering: steps of one topic never overlap. */
  work: Promise<void>;
}

/** Spreads the events of one connection: each type is registered with libvirt once, while anyone listens. */
export class EventHub {
  readonly #topics = new Map<DomainEventType, Topic>();
  readonly #closeListeners = new Set<(reason: CloseReason) => void>();
  closeReason: CloseReason | undefined;

  /** Called by the native side. */
  readonly onEvent = (native: NativeEvent): void => {
    const event = decodeEvent(native);
    for (const listener of this.#topics.get(event.type)?.listeners ?? []) guard(() => listener(event));
  };

  /** Called by the native side, and once more by our own close. Only the first reason counts. */
  readonly onClose = (reason: number): void => {
    if (this.closeReason !== undefined) return;
    const name = nameOf(CLOSE_REASONS, reason);
    this.closeReason = name;
    for (const listener of this.#closeListeners) guard(() => listener(name));
    this.#closeListeners.clear();
  };

  onCloseListener(listener: (reason: CloseReason) => void): Subscription {
    const reason = this.closeReason;
    if (reason === undefined) this.#closeListeners.add(listener);
    else queueMicrotask(() => listener(reason));
    return {
      close: () => {
        this.#closeListeners.delete(listener);
        return Promise.resolve();
      },
    };
  }

  async subscribe(
    types: readonly DomainEventType[],
    listener: (event: DomainEvent) => void,
    registrar: Registrar,
  ): Promise<Subscription> {
    const known = Object.keys(EVENT_IDS);
    for (const type of types) toIndex('Connection.subscribe: eventTypes', known, type);
    if (typeof listener !== 'function') throw new TypeError('Connection.subscribe: listener must be a function');
    // One function may be subscribed twice: each subscription is its own entry.
    const entry = (event: DomainEvent): void => listener(event);
    const close = async (): Promise<void> => {
      await Promise.all([...new Set(types)].map((type) => this.#leave(type, entry, registrar)));
    };
    try {
      await Promise.all([...new Set(types)].map((type) => this.#join(type, entry, registrar)));
    } catch (error) {
      await close();
      throw error;
    }
    return { close };
  }

  async #join(type: DomainEventType, entry: (event: DomainEvent) => void, registrar: Registrar): Promise<void> {
    const topic = this.#topics.get(type) ?? { listeners: new Set(), registered: false, work: Promise.resolve() };
    this.#topics.set(type, topic);
    topic.listeners.add(entry);
    await this.#settle(type, topic, registrar);
  }

  async #leave(type: DomainEventType, entry: (event: DomainEvent) => void, registrar: Registrar): Promise<void> {
    const topic = this.#topics.get(type);
    if (!topic?.listeners.delete(entry)) return;
    // A failed deregistration means a dead connection, where there is nothing to deregister from.
    await this.#settle(type, topic, registrar).catch(() => undefined);
  }

  /** Registers the topic if anyone listens and deregisters it if nobody does, after the step before. */
  #settle(type: DomainEventType, topic: Topic, registrar: Registrar): Promise<void> {
    topic.work = topic.work
      .catch(() => undefined)
      .then(async () => {
        const wanted = topic.listeners.size > 0;
        if (wanted === topic.registered) return;
        await (wanted ? registrar.register(EVENT_IDS[type]) : registrar.unregister(EVENT_IDS[type]));
        topic.registered = wanted;
      });
    return topic.work;
  }
}

/** A listener that throws must not take the others along: its error surfaces as an uncaught exception. */
function guard(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
