import type { Node } from '@yagura/api';
import { KubeError, type Patch } from '@yagura/kube';
import { createLogger } from '@yagura/runtime';
import { NodeLease } from './lease.ts';

const quiet = createLogger('test', '0').child({}, { level: 'silent' });

/** Renews until `stopAfter` attempts; answers what was applied, and what was logged. */
async function renewals(stopAfter: number, node: Node | undefined, refusal: (attempt: number) => Error | undefined) {
  const stop = new AbortController();
  const applied: { name: string; body: object; manager: string | undefined }[] = [];
  const logged: string[] = [];
  const log = {
    info: (_: object, text: string) => logged.push(text),
    warn: (_: object, text: string) => logged.push(text),
  };
  let attempts = 0;
  const lease = new NodeLease({
    client: {
      patch: async (
        _resource: unknown,
        { name }: { name: string },
        patch: Patch,
        options?: { fieldManager?: string },
      ) => {
        attempts += 1;
        if (attempts === stopAfter) stop.abort();
        const error = refusal(attempts);
        if (error) throw error;
        applied.push({ name, body: patch.body, manager: options?.fieldManager });
        return {} as never;
      },
    },
    nodeName: 'node-a',
    namespace: 'yagura',
    identity: 'virt-handler-x',
    node: () => node,
    log: { ...quiet, ...log } as never,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    periodMs: 1,
    nodeWaitMs: 1,
  });
  await lease.run(stop.signal);
  return { applied, logged };
}

test('the lease names node, holder and time, and goes with its node', async () => {
  const node = { metadata: { name: 'node-a', uid: 'N' } } as Node;
  const { applied } = await renewals(1, node, () => undefined);
  expect(applied).toEqual([
    {
      name: 'virt-handler-node-a',
      manager: 'virt-handler',
      body: expect.objectContaining({
        metadata: {
          name: 'virt-handler-node-a',
          namespace: 'yagura',
          labels: { 'kubevirt.io': 'virt-handler' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-a', uid: 'N' }],
        },
        spec: {
          holderIdentity: 'virt-handler-x',
          leaseDurationSeconds: 40,
          renewTime: '2026-01-01T00:00:00.000000Z',
        },
      }),
    },
  ]);
});

test('a node that has not been read yet owns nothing', async () => {
  const { applied } = await renewals(1, undefined, () => undefined);
  expect(applied[0]?.body).toMatchObject({ metadata: { ownerReferences: [] } });
});

test('an API server that refuses is told of once, and asked again', async () => {
  const { applied, logged } = await renewals(4, undefined, (attempt) =>
    attempt < 4 ? new KubeError({ code: 503 }, 'PATCH') : undefined,
  );
  expect(applied).toHaveLength(1);
  expect(logged).toEqual(['lease not renewed', 'lease renewed again']);
});
