import { type KubeClient, KubeError } from '@yagura/kube';
import { patchCaBundles } from './ca-bundles.ts';

/** A client of a cluster that has every object but the missing ones; it remembers what was patched. */
function cluster(missing: readonly string[]) {
  const patched: string[] = [];
  const client = {
    get: async (_resource: unknown, { name }: { name: string }) => {
      if (missing.includes(name)) throw new KubeError({ code: 404, reason: 'NotFound', message: name }, `GET ${name}`);
      return { webhooks: [{ name: 'one', clientConfig: {} }], spec: {} };
    },
    patch: async (_resource: unknown, { name }: { name: string }) => {
      patched.push(name);
    },
  } as unknown as KubeClient;
  return { client, patched };
}

const { signal } = new AbortController();

test('an installation that is whole is told all at once', async () => {
  const { client, patched } = cluster([]);
  expect(await patchCaBundles(client, 'bundle', signal)).toBe(true);
  expect(patched).toHaveLength(4);
});

test('what is not installed yet is said to be missing, and holds up nothing else', async () => {
  const { client, patched } = cluster(['virt-api-mutator']);
  expect(await patchCaBundles(client, 'bundle', signal)).toBe(false);
  expect(patched).toEqual(['virt-api-validator', 'v1.subresources.kubevirt.io', 'v1alpha3.subresources.kubevirt.io']);
});
