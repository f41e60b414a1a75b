import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectl, list, productNamespace, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
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

test('a virt-handler writes its own node and the guests there, and no other', async () => {
  const nodes = (await list<{ metadata: { name: string } }>('nodes')).map(({ metadata }) => metadata.name);
  expect(nodes.length).toBeGreaterThan(1);
  for (const node of nodes) {
    const config = await kubeconfigOf(node);
    const as = (...args: string[]) =>
      tryKubectl(undefined, '--kubeconfig', config, ...args, '--overwrite', 'e2e-test=1');
    const verdict = async (...args: string[]) => {
      const { code, stderr } = await as(...args);
      return code === 0 ? 'allowed' : /may write only its own node/.test(stderr) ? 'refused' : stderr;
    };
    for (const other of nodes)
      expect([node, other, await verdict('annotate', 'node', other)]).toEqual([
        node,
        other,
        node === other ? 'allowed' : 'refused',
      ]);
    const onGuest = await eventually('a verdict about the guest', 10_000, () =>
      verdict('-n', ns, 'annotate', 'vmi', 'guest'),
    );
    expect([node, onGuest]).toEqual([node, node === guestNode ? 'allowed' : 'refused']);
    await kubectl('annotate', 'node', node, 'e2e-test-');
  }
}, 120_000);
