import { isConnectionLost, isLibvirtError, LibvirtTimeoutError } from '@yagura/libvirt';
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
  if (error.code === 'AGENT_UNRESPONSIVE') return /not connected/i.test(error.message) ? 'closed' : 'mute';
  if (error.code === 'AGENT_UNSYNCED') return 'mute';
  if (error.code === 'OPERATION_INVALID' || error.code === 'NO_DOMAIN') return 'closed';
  if (/has not been found|has been disabled|not supported/i.test(error.message)) return 'unsupported';
  return 'refused';
}
