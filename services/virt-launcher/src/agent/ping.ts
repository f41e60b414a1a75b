import { RpcError, Status } from '@yagura/contracts';
import { errorMessage } from '@yagura/runtime';
import type { AskAgent } from './exec.ts';
import { classify } from './failure.ts';

const PING_TIMEOUT_SECONDS = 4;

/** Asks the agent for a sign of life; throws the status that the contract has for an agent that gives none. */
export async function pingAgent(ask: AskAgent, channelIsOpen: boolean, signal: AbortSignal): Promise<void> {
  await throughAgent(channelIsOpen, async () => ask('guest-ping', PING_TIMEOUT_SECONDS, signal));
}

/** A question to the agent, with the statuses of the contract for one that is not there or says nothing. */
export async function throughAgent<T>(channelIsOpen: boolean, question: () => Promise<T>): Promise<T> {
  if (!channelIsOpen) {
    throw new RpcError(Status.UNAVAILABLE, 'the channel of the guest agent is closed', {
      reason: 'AGENT_CHANNEL_CLOSED',
    });
  }
  try {
    return await question();
  } catch (error) {
    const kind = classify(error);
    if (kind === 'mute') throw new RpcError(Status.DEADLINE_EXCEEDED, errorMessage(error), { reason: 'AGENT_MUTE' });
    if (kind === 'closed')
      throw new RpcError(Status.UNAVAILABLE, errorMessage(error), { reason: 'AGENT_CHANNEL_CLOSED' });
    if (kind === 'unsupported')
      throw new RpcError(Status.UNIMPLEMENTED, errorMessage(error), { reason: 'AGENT_COMMAND_UNSUPPORTED' });
    throw error;
  }
}
