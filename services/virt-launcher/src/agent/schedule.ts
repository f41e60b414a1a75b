import { TOPIC_ORDER, TOPICS, type Topic } from './topics.ts';

/** After the first answer, which a guest that is still booting may soon overtake; doubled up to the topic's own period. */
const FIRST_PERIOD_MS = 5_000;
/** Between two signs of life that a mute agent is asked for. */
const MUTE_RETRY_MS = 3_000;
/** Between two looks at whether frozen file systems still are. */
const FROZEN_MS = 2_000;

/** Which topic is to be asked next, and when. Times are milliseconds of one clock. */
export class AgentSchedule {
  #due = new Map<Topic, number>();
  #period = new Map<Topic, number>();
  #unsupported = new Set<Topic>();
  #muteUntil: number | undefined;
  #frozenDue: number | undefined;

  /** A channel that was just opened: everything is due, in the order of the topics. */
  restart(now: number): void {
    this.#due = new Map(TOPIC_ORDER.map((topic) => [topic, now]));
    this.#period.clear();
    this.#unsupported.clear();
    this.#muteUntil = undefined;
    this.#frozenDue = undefined;
  }

  next(): { topic: Topic; at: number } {
    if (this.#frozenDue !== undefined) {
      return { topic: 'fsfreeze', at: Math.max(this.#frozenDue, this.#muteUntil ?? 0) };
    }
    if (this.#muteUntil !== undefined) return { topic: this.#pulse(), at: this.#muteUntil };
    let best: { topic: Topic; at: number } | undefined;
    for (const [topic, at] of this.#due) {
      if (best === undefined || at < best.at) best = { topic, at };
    }
    return best ?? { topic: 'agent', at: Number.POSITIVE_INFINITY };
  }

  answered(topic: Topic, now: number): void {
    this.#muteUntil = undefined;
    const pulse = topic === 'agent' && this.#unsupported.has('interfaces');
    const longest = TOPICS[pulse ? 'interfaces' : topic].everyMs;
    const period = Math.min(longest, 2 * (this.#period.get(topic) ?? FIRST_PERIOD_MS / 2));
    this.#period.set(topic, period);
    this.#due.set(topic, now + period);
  }

  /** While its file systems are frozen an agent takes no question but whether they are. */
  freeze(now: number): void {
    this.#frozenDue = now + FROZEN_MS;
  }

  thaw(): void {
    this.#frozenDue = undefined;
  }

  /** Something happened that the answer will show. */
  hasten(topic: Topic, at: number): void {
    const due = this.#due.get(topic);
    if (due !== undefined && due > at) this.#due.set(topic, at);
  }

  /** The agent has no such command: not to be asked again until the channel is opened anew. */
  unsupported(topic: Topic): void {
    this.#unsupported.add(topic);
    this.#due.delete(topic);
  }

  /** Nothing but the sign of life is asked of an agent that does not answer: each question costs a whole timeout. */
  mute(now: number): void {
    this.#muteUntil = now + MUTE_RETRY_MS;
  }

  #pulse(): Topic {
    return this.#unsupported.has('interfaces') ? 'agent' : 'interfaces';
  }
}
