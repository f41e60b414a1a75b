import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import {
  atVersion,
  isConflict,
  isFailedPatchTest,
  KubeClient,
  LeaderElector,
  Leases,
  leaseAccess,
  Namespaces,
  Pods,
} from '@yagura/kube';
import { type ContractServer, reflectorContract } from '@yagura/kube/testing';
import { eventually } from '@yagura/kube/testing/eventually';

const kubeconfig = process.env['KUBECONFIG'] ?? '.local/kubeconfig';
let client: KubeClient;
const namespace = `kube-${randomBytes(4).toString('hex')}`;

beforeAll(async () => {
  client = await KubeClient.load({ kubeconfig });
  await client.create(Namespaces, { metadata: { name: namespace } });
});
afterAll(async () => {
  await client.delete(Namespaces, { name: namespace });
  client.close();
});

describe('the reflector against a real API server', () => {
  let run = 0;
  reflectorContract(async (): Promise<ContractServer> => {
    // Each case in a namespace of its own: deletions of the case before must not be seen.
    const own = `${namespace}-${++run}`;
    await client.create(Namespaces, { metadata: { name: own } });
    return {
      client,
      resource: Leases,
      namespace: own,
      async put(name, labels) {
        const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, labels } };
        await client.patch(
          Leases,
          { namespace: own, name },
          { type: 'apply', body, force: true },
          { fieldManager: 'contract' },
        );
      },
      async delete(name) {
        await client.delete(Leases, { namespace: own, name });
      },
      async close() {
        await client.delete(Namespaces, { name: own });
      },
    };
  });
});

test('the API server accepts our leases, and the next candidate leads as soon as the first has stopped', async () => {
  const order: string[] = [];
  const lead = (name: string) => async (signal: AbortSignal) => {
    order.push(`${name} leads`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    order.push(`${name} stops`);
  };
  const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 200 };
  const stops = ['first', 'second'].map((identity) => {
    const stop = new AbortController();
    const elector = new LeaderElector(leaseAccess(client, namespace, 'election'), { identity, ...times });
    return { stop, done: elector.run(lead(identity), stop.signal) };
  });
  await eventually('a first leader', 10_000, () => order.length === 1);
  const winner = order[0]?.startsWith('first') ? 0 : 1;
  stops[winner]?.stop.abort();
  expect(await stops[winner]?.done).toBe('stopped');
  await eventually('its successor', 10_000, () => order.length === 3);
  stops[1 - winner]?.stop.abort();
  await stops[1 - winner]?.done;
  const lease = await client.get(Leases, { namespace, name: 'election' });
  expect(lease['spec']).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
});

test('a JSON patch made for an older version is a conflict, and a failed test is told apart', async () => {
  const target = { namespace, name: 'patched' };
  const made = await client.create(Leases, { metadata: { ...target, labels: { v: '1' } } });
  const version = made.metadata?.resourceVersion ?? '';
  const relabel = (value: string) => ({ op: 'replace' as const, path: '/metadata/labels/v', value });
  await client.patch(Leases, target, { type: 'json', body: [atVersion(version), relabel('2')] });
  const late = client.patch(Leases, target, { type: 'json', body: [atVersion(version), relabel('3')] });
  expect(isConflict(await late.catch((error: unknown) => error))).toBe(true);
  const test_ = { op: 'test' as const, path: '/metadata/labels/v', value: '1' };
  const failed = client.patch(Leases, target, { type: 'json', body: [test_, relabel('3')] });
  expect(isFailedPatchTest(await failed.catch((error: unknown) => error))).toBe(true);
});

test('exec carries input, both outputs and the exit code', async () => {
  const { items } = await client.list(Pods, { namespace: 'yagura', labelSelector: 'kubevirt.io=virt-api' });
  const name = items.find((pod) => (pod['status'] as { phase?: string }).phase === 'Running')?.metadata?.name ?? '';
  const command = ['/bin/sh', '-c', 'cat; echo wrong >&2; exit 3'];
  const session = await client.exec({ namespace: 'yagura', name, container: 'virt-api' }, { command, stdin: true });
  session.stdin.end('hello\n');
  expect(await Promise.all([text(session.stdout), text(session.stderr), session.exit])).toEqual([
    'hello\n',
    'wrong\n',
    3,
  ]);
});

test('exec in a pod that does not exist says so', async () => {
  const session = client.exec({ namespace, name: 'nobody' }, { command: ['true'] });
  await expect(session).rejects.toMatchObject({ code: 404 });
});
