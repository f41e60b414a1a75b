import { KubeError, type Patch } from '@yagura/kube';
import { createLogger } from '@yagura/runtime';
import { Heartbeat } from './heartbeat.ts';

const log = createLogger('test', '0').child({}, { level: 'silent' });

const common = { log, periodMs: 60_000, beforeReturn: async () => {} };

interface Beat {
  annotations: Record<string, string>;
  labels: Record<string, string>;
}

/** A node that takes patches as the API server does. `afterBeat` is called once a beat is stored. */
function nodeOf(afterBeat: (node: Beat, beats: number) => void) {
  const node: Beat = { annotations: {}, labels: {} };
  const seen: (string | undefined)[] = [];
  let beats = 0;
  const patch = async (_resource: unknown, target: { name: string }, { type, body }: Patch) => {
    expect(target.name).toBe('node-a');
    if (type === 'json') {
      const [test, add] = body as readonly { op: string; path: string; value: string }[];
      expect(test).toMatchObject({ op: 'test', path: '/metadata/annotations/kubevirt.io~1heartbeat' });
      expect(add).toMatchObject({ op: 'add', path: '/metadata/labels/kubevirt.io~1schedulable' });
      if (node.annotations['kubevirt.io/heartbeat'] !== test?.value) throw new KubeError({ code: 422 }, 'PATCH');
      node.labels['kubevirt.io/schedulable'] = add?.value ?? '';
    } else {
      const { metadata } = body as { metadata: Beat };
      Object.assign(node.annotations, metadata.annotations);
      Object.assign(node.labels, metadata.labels);
      beats += 1;
      setImmediate(() => afterBeat(node, beats));
    }
    seen.push(node.labels['kubevirt.io/schedulable']);
    return { metadata: { name: 'node-a' } } as never;
  };
  return { node, seen, client: { patch } };
}

test('a node takes guests once it can, at once, and none once its agent stops', async () => {
  const stop = new AbortController();
  let unable: string | undefined = 'device plugins';
  const { node, seen, client } = nodeOf((_node, beats) => {
    if (beats === 1) {
      unable = undefined;
      heartbeat.beatNow();
    } else stop.abort();
  });
  const heartbeat: Heartbeat = new Heartbeat({ ...common, client, nodeName: 'node-a', unable: () => unable });
  await heartbeat.run(stop.signal);
  expect(seen).toEqual(['false', 'true', 'false']);
  expect(node.annotations['kubevirt.io/heartbeat']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(heartbeat.lastBeatAt).toBeInstanceOf(Date);
});

test('an agent that ends after its successor has begun leaves the node to it', async () => {
  const stop = new AbortController();
  const { node, seen, client } = nodeOf(({ annotations }) => {
    annotations['kubevirt.io/heartbeat'] = 'of the successor';
    stop.abort();
  });
  await new Heartbeat({ ...common, client, nodeName: 'node-a', unable: () => undefined }).run(stop.signal);
  expect(seen).toEqual(['true']);
  expect(node.labels['kubevirt.io/schedulable']).toBe('true');
});

test('an agent that never had a word leaves none', async () => {
  const { seen, client } = nodeOf(() => {});
  await new Heartbeat({ ...common, client, nodeName: 'node-a', unable: () => undefined }).run(AbortSignal.abort());
  expect(seen).toEqual([]);
});

test('before the first beat, and before the first after a missed one, what is left of the time before is seen to', async () => {
  const steps: string[] = [];
  const stop = new AbortController();
  let beats = 0;
  const heartbeat: Heartbeat = new Heartbeat({
    ...common,
    client: {
      patch: async () => {
        steps.push('beat');
        beats += 1;
        setImmediate(() => (beats === 3 ? stop.abort() : heartbeat.beatNow()));
        if (beats === 2) throw new Error('no route');
        return { metadata: { name: 'node-a' } } as never;
      },
    },
    nodeName: 'node-a',
    unable: () => undefined,
    beforeReturn: async () => {
      steps.push('return');
    },
  });
  await heartbeat.run(stop.signal);
  expect(steps.slice(0, 5)).toEqual(['return', 'beat', 'beat', 'return', 'beat']);
});
