import { Accelerator, AnswerState, DomainOutcome, DomainState, GuestAgentChannel } from '@yagura/contracts';
import type { SourceState } from '../observation.ts';

interface Timestamp {
  seconds: bigint;
  nanos: number;
}

/** A protobuf timestamp as a Date, milliseconds exact; undefined stays undefined. */
export function toDate(timestamp: Timestamp | undefined): Date | undefined {
  if (timestamp === undefined) return undefined;
  return new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000));
}

const word = (names: Record<number, string>, value: number) => names[value]?.toLowerCase().replaceAll('_', ' ');

/** libvirt's word for a state, e.g. `running` or `pm suspended`; undefined when the launcher cannot tell. */
export function stateWord(state: DomainState): string | undefined {
  return state === DomainState.UNSPECIFIED ? undefined : word(DomainState, state);
}

export function acceleratorWord(accelerator: Accelerator): string | undefined {
  return accelerator === Accelerator.UNSPECIFIED ? undefined : word(Accelerator, accelerator);
}

export function outcomeWord(outcome: DomainOutcome): string | undefined {
  return outcome === DomainOutcome.UNSPECIFIED ? undefined : word(DomainOutcome, outcome);
}

export function channelWord(channel: GuestAgentChannel): string | undefined {
  return channel === GuestAgentChannel.UNSPECIFIED ? undefined : word(GuestAgentChannel, channel);
}

/** How the agent stands for one of its answers, while its channel is open. */
export function answerSource(state: AnswerState | undefined): SourceState {
  switch (state) {
    case AnswerState.UNSUPPORTED:
      return 'unsupported';
    case AnswerState.STALE:
      return 'failing';
    default:
      return 'answering';
  }
}
