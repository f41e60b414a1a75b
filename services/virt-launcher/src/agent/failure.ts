import { agentProblem, isConnectionLost, isLibvirtError, LibvirtTimeoutError } from '@yagura/libvirt';
import { NotConnectedError } from '../libvirt/link.ts';

/**
 * What a failed agent command tells of the agent: it has no such command, it answered with an error of its own, it did
 * not answer at all, or nobody could ask it.
 */
export type AgentFailure = 'unsupported' | 'refused' | 'mute' | 'closed' | 'not-asked';

export function classify(error: unknown): AgentFailure {
  if (error instanceof LibvirtTimeoutError) return 'mute';
  if (error instanceof NotConnectedError || isConnectionLost(error)) return 'not-asked';
  if (!isLibvirtError(error)) return 'refused';
  const problem = agentProblem(error);
  if (problem === 'not-connected' || problem === 'not-configured') return 'closed';
  if (problem === 'no-answer') return 'mute';
  if (error.code === 'OPERATION_INVALID' || error.code === 'NO_DOMAIN') return 'closed';
  if (/has not been found|has been disabled|not supported/i.test(error.message)) return 'unsupported';
  return 'refused';
}
