import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VIRTUAL_MACHINE_INSTANCES } from '@yagura/api';
import { KubeClient, Leases, Nodes, type ObjectName, type Resource } from '@yagura/kube';
import { kubectl, list, productNamespace } from './support/cluster.ts';
import { apply, freshNamespace, type PodObject, tinyVmi, untilPhase } from './support/machines.ts';

const ns = 'e2e-node-restriction';
let guestNode: string;

/** A kubeconfig with the token of the virt-handler on a node, as whoever took that node over would have it. */
async function kubeconfigOf(node: string): Promise<string> {
  const pods = await list<PodObject>('pods', '-n', productNamespace, '-l', 'kubevirt.io=virt-handler');
  const pod = pods.find(({ spec }) => spec.nodeName === node);
  const bound = ['--bound-object-kind', 'Pod', '--bound-object-name', pod?.metadata.name ?? ''];
  const token = (await kubectl('create', 'token', 'kubevirt-handler', '-n', productNamespace, ...bound)).trim();
  const config = JSON.parse(await kubectl('config', 'view', '--raw', '--minify', '-o', 'json')) as { users: object[] };
  config.users = config.users.map((user) => ({ ...user, user: { token } }));
  const file = join(mkdtempSync(join(tmpdir(), 'handler-')), 'kubeconfig');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(tinyVmi(ns, 'guest'));
  guestNode = (await untilPhase(ns, 'guest', 'Running')).status?.nodeName ?? '';
}, 240_000);

afterAll(async () => {
  await kubectl('-n', ns, 'delete', 'vmi', 'guest', '--timeout=90s');
  await kubectl('delete', 'namespace', ns, '--wait=false');
}, 120_000);

test('a virt-handler writes its own node, its own lease and the guests there, and no other', async () => {
  const nodes = (await list<{ metadata: { name: string } }>('nodes')).map(({ metadata }) => metadata.name);
  expect(nodes.length).toBeGreaterThan(1);
  for (const node of nodes) {
    // Not by kubectl, which would read what it is to write; virt-handler may not read nodes.
    const client = await KubeClient.load({ kubeconfig: await kubeconfigOf(node) });
    const body = { metadata: { annotations: { 'e2e-test': '1' } } };
    const verdict = (resource: Resource, target: ObjectName) =>
      client.patch(resource, target, { type: 'merge', body }).then(
        () => 'allowed',
        (error: Error) => (error.message.includes('may write only its own node') ? 'refused' : error.message),
      );
    for (const other of nodes) {
      const said = await verdict(Nodes, { name: other });
      expect([node, other, said]).toEqual([node, other, node === other ? 'allowed' : 'refused']);
    }
    for (const other of nodes) {
      const said = await verdict(Leases, { namespace: productNamespace, name: `virt-handler-${other}` });
      expect([node, 'lease', other, said]).toEqual([node, 'lease', other, node === other ? 'allowed' : 'refused']);
    }
    expect(await verdict(Leases, { namespace: productNamespace, name: 'virt-controller' })).toBe('refused');
    const onGuest = await verdict(VIRTUAL_MACHINE_INSTANCES, { namespace: ns, name: 'guest' });
    expect([node, onGuest]).toEqual([node, node === guestNode ? 'allowed' : 'refused']);
    client.close();
    await kubectl('annotate', 'node', node, 'e2e-test-');
  }
}, 120_000);
