import type { Patch } from '@yagura/kube';
import { createLogger } from '@yagura/runtime';
import { Heartbeat } from './heartbeat.ts';

const log = createLogger('test', '0').child({}, { level: 'silent' });

test('a node takes guests once it can, at once, and none once its agent stops', async () => {
  const labels: (string | undefined)[] = [];
  const stop = new AbortController();
  let unable: string | undefined = 'device plugins';
  const heartbeat: Heartbeat = new Heartbeat({
    client: {
      patch: async (_resource: unknown, target: { name: string }, patch: Patch) => {
        const { metadata } = patch.body as {
          metadata: { labels: Record<string, string>; annotations: Record<string, string> };
        };
        labels.push(metadata.labels['kubevirt.io/schedulable']);
        expect(target.name).toBe('node-a');
        expect(metadata.annotations['kubevirt.io/heartbeat']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        setImmediate(() => {
          if (labels.length === 1) {
            unable = undefined;
            heartbeat.beatNow();
          } else if (labels.length === 2) stop.abort();
        });
        return { metadata: { name: 'node-a' } } as never;
      },
    },
    nodeName: 'node-a',
    unable: () => unable,
    log,
  });
  await heartbeat.run(stop.signal);
  expect(labels).toEqual(['false', 'true', 'false']);
  expect(heartbeat.lastBeatAt).toBeInstanceOf(Date);
});
