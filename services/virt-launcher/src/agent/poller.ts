import { errorMessage, type Logger, Pause } from '@yagura/runtime';
import { AgentAnswers } from './answers.ts';
import { classify } from './failure.ts';
import { AgentSchedule } from './schedule.ts';
import { FIRST_ROUND, parseAnswer, TOPIC_ORDER, TOPICS, type Topic, type TopicValues } from './topics.ts';

/** Sends a raw agent command and gives its raw answer. */
export type SendToAgent = (command: string, timeoutSeconds: number, signal: AbortSignal) => Promise<string | null>;

export interface Pulse {
  lastSuccess: Date | undefined;
  lastFailure: Date | undefined;
  lastError: string | undefined;
}

/** Called when something changed that a status shows; `detail` says what. */
export type AgentChange = (type: 'guest-info' | 'agent-mute' | 'agent-answers', detail: string) => void;

const TIMEOUT_SECONDS = 4;
/** From the answer of the DHCP server to the address on the guest's interface. */
const ADDRESS_DELAY_MS = 250;
/** Topics whose change is worth telling at once; the others are read when somebody asks. */
const TOLD: readonly Topic[] = ['agent', 'interfaces', 'os', 'hostname', 'fsfreeze'];

/** Asks the guest agent, one question at a time, for as long as its channel is open. */
export class AgentPoller {
  readonly answers = new AgentAnswers();
  readonly #send: SendToAgent;
  readonly #log: Logger;
  readonly #onChange: AgentChange;
  readonly #schedule = new AgentSchedule();
  #pulse: Pulse = { lastSuccess: undefined, lastFailure: undefined, lastError: undefined };
  #running: AbortController | undefined;
  #pending = new Set<Topic>();
  #pause: Pause | undefined;
  #held: Promise<void> | undefined;

  constructor(send: SendToAgent, log: Logger, onChange: AgentChange) {
    this.#send = send;
    this.#log = log;
    this.#onChange = onChange;
  }

  get pulse(): Pulse {
    return this.#pulse;
  }

  /** Whether the agent's last word was an answer, given its channel is open. */
  get answering(): boolean {
    const { lastSuccess, lastFailure } = this.#pulse;
    return this.#running !== undefined && lastSuccess !== undefined && !(lastFailure && lastFailure > lastSuccess);
  }

  /** The channel is open. Does nothing when it was already. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    this.#schedule.restart(Date.now());
    this.#pending = new Set(FIRST_ROUND);
    void this.#run(this.#running.signal);
  }

  /** The channel is closed, or nobody can tell. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.answers.age();
  }

  /** The guest was given an address: its interfaces will soon show it. */
  expectAddress(): void {
    this.#schedule.hasten('interfaces', Date.now() + ADDRESS_DELAY_MS);
    this.#pause?.wake();
  }

  /** Asks nothing more until the function that it gives is called: somebody else has a long question. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      if (this.#held === promise) this.#held = undefined;
      resolve();
    };
  }

  /** What a freeze or thaw has just done. */
  noteFreeze(status: 'frozen' | 'thawed'): void {
    if (this.#running !== undefined) this.#accept('fsfreeze', status);
    this.#pause?.wake();
  }

  /** A sign of life that somebody else asked for. */
  noteSuccess(): void {
    const { lastSuccess, lastFailure } = this.#pulse;
    const wasMute = lastFailure !== undefined && (lastSuccess === undefined || lastFailure > lastSuccess);
    this.#pulse = { lastSuccess: new Date(), lastFailure, lastError: undefined };
    if (wasMute) this.#onChange('agent-answers', '');
  }

  #noteMute(error: string): void {
    const first = this.#pulse.lastError === undefined;
    this.#pulse = { ...this.#pulse, lastFailure: new Date(), lastError: error };
    if (first) this.#onChange('agent-mute', error);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const pause = new Pause(signal);
    this.#pause = pause;
    while (!signal.aborted) {
      const { topic, at } = this.#schedule.next();
      await pause.wait(Math.min(Math.max(0, at - Date.now()), 60_000));
      if (signal.aborted || at > Date.now()) continue;
      if (this.#held !== undefined) {
        await this.#held;
        continue;
      }
      await this.#ask(topic, signal);
    }
  }

  async #ask<T extends Topic>(topic: T, signal: AbortSignal): Promise<void> {
    try {
      const raw = await this.#send(TOPICS[topic].command, TIMEOUT_SECONDS, signal);
      const value = TOPICS[topic].read(parseAnswer(raw ?? '{}'));
      if (signal.aborted) return;
      if (topic === 'agent' && (await this.#restricted(value as TopicValues['agent'], signal))) return;
      this.#accept(topic, value);
    } catch (error) {
      if (signal.aborted) return;
      if (classify(error) === 'unsupported' && topic !== 'fsfreeze' && (await this.#frozen(signal))) return;
      this.#reject(topic, error);
    }
    this.#settle(topic);
  }

  /** Whether the agent lists as disabled what it only refuses while its file systems are frozen. */
  async #restricted({ commands }: TopicValues['agent'], signal: AbortSignal): Promise<boolean> {
    const enabled = (name: string) => commands.find((command) => command.name === name)?.enabled;
    if (enabled(TOPICS.fsfreeze.command) !== true) return false;
    const some = TOPIC_ORDER.some((topic) => enabled(TOPICS[topic].command) === false);
    return some && (await this.#frozen(signal));
  }

  /** Whether the file systems are frozen, or nobody can tell: then a command that is refused may still exist. */
  async #frozen(signal: AbortSignal): Promise<boolean> {
    if (this.answers.all.fsfreeze.state !== 'unsupported') await this.#ask('fsfreeze', signal);
    const { state, value } = this.answers.all.fsfreeze;
    return state !== 'unsupported' && !(state === 'ok' && value === 'thawed');
  }

  #accept<T extends Topic>(topic: T, value: TopicValues[T]): void {
    this.noteSuccess();
    this.#schedule.answered(topic, Date.now());
    if (topic === 'fsfreeze') {
      if (value === 'frozen') this.#schedule.freeze(Date.now());
      else this.#schedule.thaw();
    }
    const changed = this.answers.succeed(topic, value, new Date());
    if (topic === 'agent') this.#dropUnsupported(value as TopicValues['agent']);
    if (changed && TOLD.includes(topic) && !this.#pending.has(topic)) this.#onChange('guest-info', topic);
  }

  /** The agent lists its commands, so what it lacks need not be asked for. */
  #dropUnsupported({ commands }: TopicValues['agent']): void {
    if (commands.length === 0) return;
    const enabled = new Set(commands.filter((command) => command.enabled).map(({ name }) => name));
    for (const topic of TOPIC_ORDER) {
      if (topic !== 'agent' && !enabled.has(TOPICS[topic].command)) this.#giveUp(topic);
    }
  }

  #giveUp(topic: Topic): void {
    this.#schedule.unsupported(topic);
    this.answers.unsupported(topic);
    this.#settle(topic);
  }

  #reject(topic: Topic, error: unknown): void {
    const message = errorMessage(error);
    const kind = classify(error);
    if (kind === 'unsupported') {
      this.noteSuccess();
      this.#giveUp(topic);
      return;
    }
    this.answers.fail(topic, message, new Date());
    if (kind === 'refused') {
      this.noteSuccess();
      this.#schedule.answered(topic, Date.now());
      return;
    }
    this.#schedule.mute(Date.now());
    this.#log.debug({ topic, error: message, kind }, 'the guest agent does not answer');
    if (kind === 'mute') this.#noteMute(message);
  }

  /** Tells once that the first round is through, instead of once for each of its answers. */
  #settle(topic: Topic): void {
    if (this.#pending.delete(topic) && this.#pending.size === 0) this.#onChange('guest-info', 'first-round');
  }
}
