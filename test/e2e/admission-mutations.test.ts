import { kubevirtConfig, renderLauncherPod, type VirtualMachineInstance } from '@yagura/api';
import { type JsonRequest, KubeClient, KubeError } from '@yagura/kube';
import fc from 'fast-check';
import { INSTANCES, MACHINES } from '../../libs/api/src/testing/manifests.ts';
import { mutated } from '../../libs/api/src/testing/mutations.ts';
import { kubeconfig, kubectl } from './support/cluster.ts';
import { freshNamespace } from './support/machines.ts';

const ns = 'e2e-mutations';
const COUNT = 200;
const AT_ONCE = 4;
const config = kubevirtConfig(undefined);
let client: KubeClient;

beforeAll(async () => {
  await freshNamespace(ns);
  client = await KubeClient.load({ kubeconfig });
}, 60_000);

afterAll(async () => {
  client.close();
  await kubectl('delete', 'namespace', ns, '--wait=false');
});

/** What the server made of an object without keeping it: the object as it would be stored, or the refusal. */
async function dryRun<T>(path: string, body: unknown): Promise<{ code: number; message: string; stored?: T }> {
  const request: JsonRequest = { method: 'POST', path, query: { dryRun: 'All' }, body, timeoutMs: 30_000 };
  try {
    return { code: 201, message: '', stored: await client.request<T>(request) };
  } catch (error) {
    if (error instanceof KubeError) return { code: error.code, message: error.message };
    throw error;
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
    }),
  );
}

const inNamespace = <T extends { metadata: { name: string } }>(object: T): T => ({
  ...object,
  metadata: { name: object.metadata.name, namespace: ns },
});

test.each([
  ['virtualmachineinstances', INSTANCES.map(inNamespace)],
  ['virtualmachines', MACHINES.map(inNamespace)],
])(
  'spoilt %s are taken or refused for a reason, never an internal error',
  async (resource, objects) => {
    const spoilt = fc.sample(mutated<object>(objects), COUNT);
    const codes = new Map<number, number>();
    const wrong: string[] = [];
    await each(spoilt, async (object) => {
      // The name of an object that was spoilt itself is the API server's affair.
      const { code, message, stored } = await dryRun<VirtualMachineInstance>(
        `/apis/kubevirt.io/v1/namespaces/${ns}/${resource}`,
        object,
      );
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (![201, 400, 403, 422].includes(code) || (code !== 201 && message === ''))
        wrong.push(`${code} ${message}: ${JSON.stringify(object)}`);
      if (stored === undefined || resource !== 'virtualmachineinstances') return;
      const metadata = { ...stored.metadata, uid: '11111111-2222-4333-8444-555555555555' };
      const pod = renderLauncherPod({ ...stored, metadata }, config, { image: 'launcher', podName: 'virt-launcher-x' });
      // Classes and accounts that do not exist are forbidden; what is invalid would have been the webhook's to refuse.
      const made = await dryRun(`/api/v1/namespaces/${ns}/pods`, pod);
      if (![201, 403].includes(made.code)) wrong.push(`pod: ${made.code} ${made.message}: ${JSON.stringify(object)}`);
    });
    expect(wrong).toEqual([]);
    expect([...codes.keys()].sort()).toEqual(expect.arrayContaining([201, 422]));
  },
  180_000,
);
