import { isDeepStrictEqual } from 'node:util';
import { TOPIC_ORDER, TOPICS, type Topic, type TopicValues } from './topics.ts';

/** How the answer to one question stands. A failure never erases the last good value; it only ages. */
export interface Answer<T> {
  state: 'never' | 'ok' | 'stale' | 'unsupported';
  value: T | undefined;
  observedAt: Date | undefined;
  failedAt: Date | undefined;
  error: string | undefined;
}

export type Answers = { [T in Topic]: Answer<TopicValues[T]> };

const NEVER = {
  state: 'never',
  value: undefined,
  observedAt: undefined,
  failedAt: undefined,
  error: undefined,
} as const;

/** All that the guest agent said in this run of the domain. */
export class AgentAnswers {
  #answers = Object.fromEntries(TOPIC_ORDER.map((topic) => [topic, NEVER])) as unknown as Answers;

  get all(): Answers {
    return this.#answers;
  }

  /** Returns whether the value is another one than before. */
  succeed<T extends Topic>(topic: T, value: TopicValues[T], at: Date): boolean {
    const before = this.#answers[topic];
    const failed = { failedAt: before.failedAt, error: undefined };
    this.#set(topic, { state: 'ok', value, observedAt: at, ...failed });
    return !isDeepStrictEqual(before.value, value);
  }

  fail(topic: Topic, error: string, at: Date): void {
    const before = this.#answers[topic];
    this.#set(topic, {
      ...before,
      state: before.observedAt ? 'stale' : 'never',
      failedAt: at,
      error,
    });
  }

  unsupported(topic: Topic): void {
    const error = `the agent has no command ${TOPICS[topic].command}`;
    this.#set(topic, { ...NEVER, state: 'unsupported', error });
  }

  /** The channel closed: whatever was good is now only the last that was heard. */
  age(): void {
    for (const topic of TOPIC_ORDER) {
      const before = this.#answers[topic];
      if (before.state === 'ok') this.#set(topic, { ...before, state: 'stale' });
    }
  }

  #set<T extends Topic>(topic: T, answer: Answer<TopicValues[T]>): void {
    this.#answers = { ...this.#answers, [topic]: answer };
  }
}
