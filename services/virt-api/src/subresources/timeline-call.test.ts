import { KubeError } from '@yagura/kube';
import type { RunSummary, Timeline } from '@yagura/layers/timeline';
import type { HandlerAnswer } from '../handler/handler-client.ts';
import type { RequestContext } from '../http/router.ts';
import type { Vmi } from './objects.ts';
import { timelineCall } from './timeline-call.ts';

const context = (query: Record<string, string> = {}): RequestContext => ({
  request: undefined as never,
  method: 'GET',
  path: '',
  params: { namespace: 'ns', name: 'vm' },
  query: new URLSearchParams(query),
  signal: new AbortController().signal,
});
const runOf = (node: string, uid: string, hour: number, recording = false): RunSummary => ({
  uid,
  node,
  startedAt: `2026-11-30T${hour}:00:00.000Z`,
  lastAt: null,
  recording,
});
const vmiOn = (nodeName: string, uid = 'U'): Vmi => ({
  metadata: { name: 'vm', namespace: 'ns', uid },
  status: { nodeName },
});
const notFound: HandlerAnswer = { status: 404, contentType: '', body: '{"message":"nothing is recorded"}' };

/** What a node remembers: its runs, newest first, of which it tells the one that is asked for. */
function remembering(...runs: RunSummary[]) {
  return (uid: string | undefined): HandlerAnswer => {
    const chosen = runs.find((run) => uid === undefined || run.uid === uid);
    if (chosen === undefined) return notFound;
    const body = { kind: 'Timeline', metadata: { uid: chosen.uid }, node: chosen.node, entries: [], runs };
    return { status: 200, contentType: '', body: JSON.stringify(body) };
  };
}

type Answering = (uid: string | undefined) => HandlerAnswer;

function world(vmi: Vmi | undefined, nodes: Record<string, Answering | Error>) {
  const asked: string[] = [];
  const client = {
    get: async () => {
      if (vmi !== undefined) return vmi;
      throw new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
    },
  } as never;
  const call = timelineCall(client, {
    nodes: async () => Object.keys(nodes),
    call: async (node, _target, method, path) => {
      asked.push(`${method} ${node} ${path}`);
      const answer = nodes[node];
      if (answer instanceof Error) throw answer;
      return answer?.(new URLSearchParams(path.split('?')[1]).get('uid') ?? undefined) ?? notFound;
    },
  });
  const ask = async (query: Record<string, string> = {}) => (await call(context(query))).body as Timeline;
  return { ask, asked };
}

test('an instance that is there is asked for on its node alone', async () => {
  const { ask, asked } = world(vmiOn('n1'), { n1: remembering(runOf('n1', 'U', 12, true)), n2: remembering() });
  await expect(ask()).resolves.toMatchObject({ metadata: { uid: 'U' }, node: 'n1' });
  await expect(ask({ uid: 'U' })).resolves.toMatchObject({ metadata: { uid: 'U' } });
  expect(asked).toEqual(['GET n1 timeline?uid=U', 'GET n1 timeline?uid=U']);
});

const nodes = {
  n1: remembering(runOf('n1', 'old', 11), runOf('n1', 'oldest', 10)),
  n2: remembering(runOf('n2', 'young', 12)),
  n3: remembering(),
};

test.each<[string, Vmi | undefined, Record<string, string>, string, string[]]>([
  ['of one that is gone the newest is found, wherever it was', undefined, {}, 'young', ['young', 'old', 'oldest']],
  ['of one that is on no node yet the newest before it', vmiOn(''), {}, 'young', ['young', 'old', 'oldest']],
  ['a former run is found by its uid', vmiOn('n3'), { uid: 'oldest' }, 'oldest', ['old', 'oldest']],
  ['all runs are listed', vmiOn('n3'), { runs: 'true' }, 'young', ['young', 'old', 'oldest']],
])('%s', async (_, vmi, query, uid, runs) => {
  const { ask, asked } = world(vmi, nodes);
  const timeline = await ask(query);
  expect(timeline.metadata.uid).toBe(uid);
  expect(timeline.runs.map((run) => run.uid)).toEqual(runs);
  expect(timeline).not.toHaveProperty('unanswered');
  expect(asked).toHaveLength(3);
});

test('a node that does not answer is named beside what the others know', async () => {
  const { ask } = world(undefined, {
    ...nodes,
    n4: new Error('no answer within 3 s'),
    n5: () => ({ status: 500, contentType: '', body: '{"message":"it is full"}' }),
  });
  await expect(ask()).resolves.toMatchObject({
    metadata: { uid: 'young' },
    unanswered: [
      { node: 'n4', error: 'no answer within 3 s' },
      { node: 'n5', error: 'it answers 500: it is full' },
    ],
  });
});

test.each<[string, Record<string, Answering | Error>, number, string]>([
  [
    'no node knows of it',
    { n1: remembering() },
    404,
    'no node has recorded anything of virtualmachineinstances.kubevirt.io "vm"',
  ],
  ['some do not answer', { n1: remembering(), n2: new Error('timed out') }, 503, 'these do not answer: n2: timed out'],
  ['there are no nodes', {}, 404, 'no node has recorded'],
])('that it is nowhere is told apart from that it is not known: %s', async (_, all, code, message) => {
  await expect(world(undefined, all).ask()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test('what the node of a running instance refuses is passed on', async () => {
  await expect(world(vmiOn('n1'), { n1: remembering() }).ask()).rejects.toMatchObject({
    code: 404,
    message: 'virt-handler on node n1: nothing is recorded',
  });
});

test('many nodes are not asked all at once', async () => {
  let [now, most] = [0, 0];
  const client = { get: async () => Promise.reject(new KubeError({ code: 404, reason: 'NotFound' }, 'GET')) } as never;
  const call = timelineCall(client, {
    nodes: async () => Array.from({ length: 100 }, (_, index) => `n${index}`),
    call: async (node) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return remembering(runOf(node, `u-${node}`, 10))(undefined);
    },
  });
  const timeline = (await call(context())).body as Timeline;
  expect(timeline.runs).toHaveLength(100);
  expect(most).toBe(8);
});
