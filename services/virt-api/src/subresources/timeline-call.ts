import { newestFirst, type Timeline } from '@yagura/layers/timeline';
import type { HandlerClient } from '../handler/handler-client.ts';
import type { RequestContext } from '../http/router.ts';
import { StatusError } from '../http/status.ts';
import { VirtualMachineInstances, vmiSubject } from './objects.ts';
import { absent, type ObjectClient } from './vm-calls.ts';
import type { VmiCall } from './vmi-calls.ts';
import { type Handlers, messageOf, refused, targetOf } from './vmi-request.ts';

/** Nodes that are asked at the same time, and how long each may take and all together. */
const PARALLEL = 8;
const NODE_MS = 3_000;
const ALL_MS = 15_000;

type AllHandlers = Handlers & Pick<HandlerClient, 'nodes'>;

interface Asked {
  node: string;
  timeline?: Timeline;
  /** Why nothing is known of this node; absent where it answered that it remembers nothing. */
  error?: string;
}

/**
 * GET timeline: what the instance's node has recorded. An instance that is gone names no node any more, and neither does
 * a former run of the name: then all nodes are asked, and one that does not answer is named, as it may know of more.
 */
export function timelineCall(client: Pick<ObjectClient, 'get'>, handlers: AllHandlers): VmiCall {
  return async (context) => {
    const uid = context.query.get('uid') || undefined;
    const vmi = await client.get(VirtualMachineInstances, targetOf(context), {}, context.signal).catch(absent);
    const node = vmi?.status?.nodeName;
    const isNow = uid === undefined || uid === vmi?.metadata?.uid;
    if (vmi === undefined || !node || !isNow || context.query.get('runs') === 'true')
      return { status: 200, body: await remembered(handlers, context, uid) };
    const { signal } = context;
    const path = timelinePath(vmi.metadata?.uid);
    const answer = await handlers.call(node, targetOf(context), 'GET', path, { signal });
    if (answer.status !== 200) throw refused(vmi, answer);
    return { status: 200, body: JSON.parse(answer.body) as Timeline };
  };
}

const timelinePath = (uid: string | undefined) =>
  uid === undefined ? 'timeline' : `timeline?uid=${encodeURIComponent(uid)}`;

/** The newest run that any node remembers, or the one asked for, with all others. */
async function remembered(handlers: AllHandlers, context: RequestContext, uid: string | undefined): Promise<Timeline> {
  const asked = await askAll(handlers, context, uid);
  const runs = newestFirst(asked.flatMap(({ timeline }) => timeline?.runs ?? []));
  const unanswered = asked.flatMap(({ node, error }) => (error === undefined ? [] : [{ node, error }]));
  const newest = uid ?? runs[0]?.uid;
  const chosen = asked.find(({ timeline }) => timeline?.metadata.uid === newest)?.timeline;
  if (chosen === undefined) throw nothing(targetOf(context).name, uid, unanswered);
  return { ...chosen, runs, ...(unanswered.length === 0 ? {} : { unanswered }) };
}

function nothing(name: string, uid: string | undefined, unanswered: { node: string; error: string }[]): StatusError {
  const subject = vmiSubject(name);
  const what = `virtualmachineinstances.kubevirt.io "${name}"${uid === undefined ? '' : ` with uid ${uid}`}`;
  if (unanswered.length === 0) return new StatusError(404, `no node has recorded anything of ${what}`, { subject });
  const silent = unanswered.map(({ node, error }) => `${node}: ${error}`).join('; ');
  const text = `no node that answers has recorded anything of ${what}; these do not answer: ${silent}`;
  return new StatusError(503, text, { subject });
}

async function askAll(handlers: AllHandlers, context: RequestContext, uid: string | undefined): Promise<Asked[]> {
  const nodes = await handlers.nodes(context.signal);
  const over = AbortSignal.timeout(ALL_MS);
  const signal = AbortSignal.any([context.signal, over]);
  const answers: Asked[] = [];
  const ask = async () => {
    for (let node = nodes.shift(); node !== undefined; node = nodes.shift()) {
      answers.push(
        over.aborted
          ? { node, error: 'not asked: the others took too long' }
          : await askOne(handlers, context, node, uid, signal),
      );
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, ask));
  return answers;
}

async function askOne(
  handlers: AllHandlers,
  context: RequestContext,
  node: string,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<Asked> {
  try {
    const options = { signal, timeoutMs: NODE_MS };
    const answer = await handlers.call(node, targetOf(context), 'GET', timelinePath(uid), options);
    if (answer.status === 404) return { node };
    if (answer.status !== 200) return { node, error: `it answers ${answer.status}: ${messageOf(answer)}` };
    return { node, timeline: JSON.parse(answer.body) as Timeline };
  } catch (error) {
    return { node, error: error instanceof Error ? error.message : String(error) };
  }
}
