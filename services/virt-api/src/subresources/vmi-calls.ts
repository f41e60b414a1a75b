import type { HandlerAnswer, HandlerClient } from '../handler/handler-client.ts';
import { readJsonObject } from '../http/body.ts';
import type { Reply, RequestContext } from '../http/router.ts';
import { conflict, forbidden, internalError, notFound, StatusError } from '../http/status.ts';
import { hasCondition, VirtualMachineInstances, type Vmi, vmiSubject } from './objects.ts';
import { dryRunOptions } from './options.ts';
import { absent, type ObjectClient } from './vm-calls.ts';

export type Handlers = Pick<HandlerClient, 'call'>;
export type VmiCall = (context: RequestContext) => Promise<Reply>;

/** Why a VMI cannot be paused now; nothing when it can. */
export function checkPause(vmi: Vmi): void {
  const subject = vmiSubject(vmi.metadata?.name ?? '');
  if (vmi.status?.phase !== 'Running') throw conflict(subject, 'VM is not running');
  const probe = vmi.spec?.livenessProbe;
  // A stopped guest fails any probe but the ping, which knows of pauses, and would be killed for it.
  if (probe !== undefined && probe.guestAgentPing === undefined)
    throw forbidden(subject, 'Pausing VMIs with LivenessProbe is currently not supported');
  if (hasCondition(vmi, 'Paused')) throw conflict(subject, 'VMI is already paused');
}

export function checkUnpause(vmi: Vmi): void {
  const subject = vmiSubject(vmi.metadata?.name ?? '');
  if (vmi.status?.phase !== 'Running') throw conflict(subject, 'VMI is not running');
  if (!hasCondition(vmi, 'Paused')) throw conflict(subject, 'VMI is not paused');
}

/** The guest agent's answers are only asked for when the VMI says that there is an agent to answer. */
export function checkGuestAgent(vmi: Vmi): void {
  if (vmi.status?.phase !== 'Running') throw internalError('VMI is not running');
  if (!hasCondition(vmi, 'AgentConnected')) throw internalError('VMI does not have guest agent connected');
}

/** PUT pause and unpause: 200 once the vCPUs have stopped or run again. */
export function pauseCall(client: ObjectClient, handlers: Handlers, verb: 'pause' | 'unpause'): VmiCall {
  return async (context) => {
    const { dryRun } = dryRunOptions(await readJsonObject(context.request));
    const vmi = await fetchVmi(client, context);
    (verb === 'pause' ? checkPause : checkUnpause)(vmi);
    if (dryRun) return { status: 200 };
    const answer = await handlers.call(nodeOf(vmi), target(context), 'PUT', verb, undefined, context.signal);
    if (answer.status >= 300) throw refused(vmi, answer);
    return { status: 200 };
  };
}

/** GET guestosinfo, userlist and filesystemlist: what the handler's agent cache holds, as it is. */
export function guestCall(
  client: ObjectClient,
  handlers: Handlers,
  subresource: 'guestosinfo' | 'userlist' | 'filesystemlist',
): VmiCall {
  return async (context) => {
    const vmi = await fetchVmi(client, context);
    checkGuestAgent(vmi);
    const answer = await handlers.call(nodeOf(vmi), target(context), 'GET', subresource, undefined, context.signal);
    if (answer.status !== 200) throw refused(vmi, answer);
    return { status: 200, body: answer.body, contentType: 'application/json' };
  };
}

async function fetchVmi(client: ObjectClient, context: RequestContext): Promise<Vmi> {
  const vmi = await client.get(VirtualMachineInstances, target(context), {}, context.signal).catch(absent);
  if (vmi === undefined) throw notFound(vmiSubject(target(context).name));
  return vmi;
}

function target(context: RequestContext): { namespace: string; name: string } {
  return { namespace: context.params['namespace'] ?? '', name: context.params['name'] ?? '' };
}

function nodeOf(vmi: Vmi): string {
  const node = vmi.status?.nodeName;
  if (!node) throw internalError('the VMI is on no node');
  return node;
}

/** The handler's refusal with its own code and words; what it says of itself (5xx) is not the client's fault. */
function refused(vmi: Vmi, answer: HandlerAnswer): StatusError {
  const text = messageOf(answer) || `HTTP ${answer.status}`;
  const subject = vmiSubject(vmi.metadata?.name ?? '');
  if (answer.status === 404)
    return new StatusError(404, `virt-handler on node ${vmi.status?.nodeName}: ${text}`, { subject });
  if (answer.status === 409) return conflict(subject, text);
  // Not yet, as opposed to wrong: a guest agent that has not answered, a launcher that is not up.
  if (answer.status === 503)
    return new StatusError(503, `virt-handler on node ${vmi.status?.nodeName}: ${text}`, { subject });
  return internalError(`virt-handler on node ${vmi.status?.nodeName}: ${text}`);
}

function messageOf(answer: HandlerAnswer): string {
  try {
    const status = JSON.parse(answer.body) as { message?: unknown };
    if (typeof status.message === 'string') return status.message;
  } catch {
    // Plain text is the message itself.
  }
  return answer.body.trim();
}
