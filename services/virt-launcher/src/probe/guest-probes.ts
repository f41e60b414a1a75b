import { RpcError, Status } from '@yagura/contracts';
import {
  type AskAgent,
  execInGuest,
  type GuestCommand,
  type GuestCommandEnd,
  GuestCommandTimeout,
} from '../agent/exec.ts';
import { pingAgent, throughAgent } from '../agent/ping.ts';
import type { RunRecordFile } from '../domain/run-record.ts';
import type { Observed } from '../domain/view.ts';
import { answerProbe, type ProbeAnswer } from './answer.ts';
import type { ProbeRequest } from './arguments.ts';

export interface GuestProbesParts {
  ask: AskAgent;
  channelIsOpen: () => boolean;
  observed: () => Observed;
  record: RunRecordFile;
  /** The agent has answered. */
  onAnswer: () => void;
  /** A ping that the kubelet wanted has failed. */
  onPingFailed: (why: string) => void;
}

/** Asks the guest through its agent, for the contract's calls and for the kubelet's probes. */
export class GuestProbes {
  readonly #parts: GuestProbesParts;

  constructor(parts: GuestProbesParts) {
    this.#parts = parts;
  }

  async ping(signal: AbortSignal): Promise<void> {
    await pingAgent(this.#parts.ask, this.#parts.channelIsOpen(), signal);
    this.#parts.onAnswer();
  }

  async exec(command: GuestCommand, signal: AbortSignal): Promise<GuestCommandEnd> {
    try {
      const end = await throughAgent(this.#parts.channelIsOpen(), async () =>
        execInGuest(this.#parts.ask, command, signal),
      );
      this.#parts.onAnswer();
      return end;
    } catch (error) {
      if (!(error instanceof GuestCommandTimeout)) throw error;
      throw new RpcError(Status.DEADLINE_EXCEEDED, error.message, { reason: 'GUEST_COMMAND_RUNS_ON' });
    }
  }

  /** Never throws. */
  async answer(request: ProbeRequest): Promise<ProbeAnswer> {
    const { record } = this.#parts.record;
    const answer = await answerProbe(request, {
      observed: this.#parts.observed(),
      started: record?.startedAt !== undefined,
      suspended: record?.probesSuspended === true,
      migrated: record?.end?.outcome === 'migrated',
      ping: async (signal) => this.ping(signal),
      exec: async (command, signal) => this.exec(command, signal),
    });
    if (request.question === 'ping' && answer.exitCode !== 0) this.#parts.onPingFailed(answer.output);
    return answer;
  }
}
