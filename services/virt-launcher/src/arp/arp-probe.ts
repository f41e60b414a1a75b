import { createSocket, type Socket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, type Logger } from '@yagura/runtime';
import { run } from '../process/run.ts';
import { ArpQuestion, type Neighbour, needsUse, parseNeighbour } from './neighbour.ts';

/** A guest in whose network the pod has an address. */
export interface ArpTarget {
  /** Name of the interface in the spec. */
  interface: string;
  address: string;
}

export interface ArpAnswerView {
  interface: string;
  answers: boolean;
  at: Date;
}

export interface ArpProbeOptions {
  /** Whom to ask now; none while the guest cannot answer. */
  targets: () => readonly ArpTarget[];
  log: Logger;
  onChange: () => void;
  /** The kernel's entry of an address. */
  look?: (address: string) => Promise<Neighbour | undefined>;
}

/** RFC 863: whoever listens there throws it away, and nobody does. */
const DISCARD_PORT = 9;
const TICK_MS = 400;
/** The kernel lets an answer count for up to 4.5 s, waits 1 s before it asks again, and then asks for 3 s. */
const GIVE_UP_MS = 12_000;
const LOOK_TIMEOUT_MS = 2_000;

/**
 * Finds out whether the guest answers ARP, which needs neither its agent nor any program of it. The kernel is made to ask
 * by a datagram to the guest, and its neighbour table is read: no capability is needed.
 */
export class ArpProbe {
  readonly #options: ArpProbeOptions;
  readonly #answers = new Map<string, ArpAnswerView>();
  #asking = false;

  constructor(options: ArpProbeOptions) {
    this.#options = options;
  }

  /** What was found out last of each interface, whenever that was. */
  get answers(): readonly ArpAnswerView[] {
    return [...this.#answers.values()];
  }

  /** Asks once. Does nothing while an earlier question is open. */
  async ask(): Promise<void> {
    const targets = this.#asking ? [] : this.#options.targets();
    if (targets.length === 0) return;
    this.#asking = true;
    const socket = createSocket('udp4');
    socket.on('error', (error) => this.#note(error));
    try {
      await Promise.all(targets.map(async (target) => this.#question(target, socket)));
    } catch (error) {
      this.#note(error);
    } finally {
      this.#asking = false;
      socket.close();
    }
  }

  async #question(target: ArpTarget, socket: Socket): Promise<void> {
    const look = this.#options.look ?? lookUp;
    const question = new ArpQuestion(await look(target.address));
    const began = performance.now();
    await use(socket, target.address);
    while (performance.now() - began < GIVE_UP_MS) {
      await delay(TICK_MS);
      const entry = await look(target.address);
      const verdict = question.judge(entry, performance.now() - began);
      if (verdict === 'untold') return;
      if (verdict !== 'pending') return this.#conclude(target, verdict === 'answers');
      if (needsUse(entry)) await use(socket, target.address);
    }
  }

  #conclude(target: ArpTarget, answers: boolean): void {
    const before = this.#answers.get(target.interface)?.answers;
    this.#answers.set(target.interface, { interface: target.interface, answers, at: new Date() });
    if (before !== answers) this.#options.onChange();
  }

  #note(error: unknown): void {
    this.#options.log.debug({ error: errorMessage(error) }, 'cannot find out whether the guest answers ARP');
  }
}

async function use(socket: Socket, address: string): Promise<void> {
  // One that is not sent is seen in the table.
  await new Promise<void>((resolve) => socket.send(Buffer.of(0), DISCARD_PORT, address, () => resolve()));
}

async function lookUp(address: string): Promise<Neighbour | undefined> {
  const args = ['-json', '-statistics', 'neighbour', 'show', 'to', address];
  return parseNeighbour(await run('ip', args, LOOK_TIMEOUT_MS), address);
}
