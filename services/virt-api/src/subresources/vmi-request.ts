import type { HandlerAnswer, HandlerClient } from '../handler/handler-client.ts';
import type { RequestContext } from '../http/router.ts';
import { conflict, internalError, notFound, StatusError } from '../http/status.ts';
import { VirtualMachineInstances, type Vmi, vmiSubject } from './objects.ts';
import { absent, type ObjectClient } from './vm-calls.ts';

export type Handlers = Pick<HandlerClient, 'call'>;

export function targetOf({ params }: RequestContext): { namespace: string; name: string } {
  return { namespace: params['namespace'] ?? '', name: params['name'] ?? '' };
}

export async function fetchVmi(client: Pick<ObjectClient, 'get'>, context: RequestContext): Promise<Vmi> {
  const vmi = await client.get(VirtualMachineInstances, targetOf(context), {}, context.signal).catch(absent);
  if (vmi === undefined) throw notFound(vmiSubject(targetOf(context).name));
  return vmi;
}

export function nodeOf(vmi: Vmi): string {
  const node = vmi.status?.nodeName;
  if (!node) throw internalError('the VMI is on no node');
  return node;
}

/** The handler's refusal with its own code and words; what it says of itself (5xx) is not the client's fault. */
export function refused(vmi: Vmi, answer: Pick<HandlerAnswer, 'status' | 'body'>): StatusError {
  const text = messageOf(answer) || `HTTP ${answer.status}`;
  const subject = vmiSubject(vmi.metadata?.name ?? '');
  const told = `virt-handler on node ${vmi.status?.nodeName}: ${text}`;
  switch (answer.status) {
    case 400:
      return new StatusError(400, text);
    case 409:
      return conflict(subject, text);
    // Not yet, as opposed to wrong: a guest agent that has not answered, a launcher that is not up.
    case 404:
    case 503:
    case 504:
      return new StatusError(answer.status, told, { subject });
    default:
      return internalError(told);
  }
}

export function messageOf(answer: Pick<HandlerAnswer, 'body'>): string {
  try {
    const status = JSON.parse(answer.body) as { message?: unknown };
    if (typeof status.message === 'string') return status.message;
  } catch {
    // Plain text is the message itself.
  }
  return answer.body.trim();
}
