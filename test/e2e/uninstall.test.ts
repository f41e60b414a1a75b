import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helm, kubectl, list, productNamespace, root, tryKubectl, yagura } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  bootId,
  freshNamespace,
  getVmi,
  launcherPod,
  type PodObject,
  tinyVmi,
  untilAgent,
} from './support/machines.ts';

const ns = 'e2e-uninstall';
const chart = join(root, 'charts/yagura');
const FORCE = 'yagura.kubevirt.io/force-uninstall';
let pod: PodObject;
let boot: string;
let values: string;

/** The release as it was, whatever a test has left it in. */
async function installAgain(): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'values-')), 'values.yaml');
  writeFileSync(file, values);
  const args = ['--namespace', productNamespace, '--create-namespace', '--wait', '--timeout', '150s', '-f', file];
  const { code, stderr } = await helm('upgrade', '--install', 'yagura', chart, ...args);
  if (code !== 0) throw new Error(stderr);
}

const deployed = async () =>
  (await helm('status', 'yagura', '-n', productNamespace)).stdout.includes('STATUS: deployed');

beforeAll(async () => {
  await freshNamespace(ns);
  const got = await helm('get', 'values', 'yagura', '-n', productNamespace, '-o', 'yaml');
  if (got.code !== 0) throw new Error(got.stderr);
  values = got.stdout;
  await apply(tinyVmi(ns, 'guest'));
  pod = await launcherPod(await untilAgent(ns, 'guest'));
  boot = await bootId(pod);
}, 200_000);

afterAll(async () => {
  if (!(await deployed())) await installAgain();
  await kubectl('annotate', 'kubevirt', 'kubevirt', '-n', productNamespace, `${FORCE}-`);
  await kubectl('delete', 'namespace', ns, '--wait=false');
}, 240_000);

test('helm uninstall is refused while there are instances, lists them, and a rollback goes on', async () => {
  const { code, stdout, stderr } = await helm('uninstall', 'yagura', '-n', productNamespace, '--timeout', '60s');
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain(`${ns}/guest  Running`);
  const way = /helm (rollback yagura \d+ -n \S+)/.exec(stdout + stderr)?.[1] ?? 'no way back is told';
  expect(await helm(...way.split(' '))).toMatchObject({ code: 0 });
  expect(await deployed()).toBe(true);
}, 120_000);

test('an upgrade that replaces virt-handler keeps the guest, and the new one speaks to its launcher', async () => {
  const handlers = () => list<PodObject>('pods', '-n', productNamespace, '-l', 'kubevirt.io=virt-handler');
  const before = (await handlers()).map(({ metadata }) => metadata.uid);
  const { code, stderr } = await helm(
    'upgrade',
    'yagura',
    chart,
    '-n',
    productNamespace,
    '--reuse-values',
    '--set',
    'logLevel=3',
    '--wait',
  );
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  await kubectl('-n', productNamespace, 'rollout', 'status', 'daemonset/virt-handler', '--timeout=90s');
  expect((await handlers()).filter(({ metadata }) => before.includes(metadata.uid))).toEqual([]);
  await eventually('the guest can be paused', 30_000, async () => (await yagura('pause', `${ns}/guest`)).code === 0);
  expect(await yagura('unpause', `${ns}/guest`)).toMatchObject({ code: 0 });
  expect(await bootId(pod)).toBe(boot);
}, 240_000);

test('a forced uninstallation leaves nothing but CRDs, and the guest runs on', async () => {
  await kubectl('annotate', 'kubevirt', 'kubevirt', '-n', productNamespace, `${FORCE}=true`, '--overwrite');
  const { code, stderr } = await helm('uninstall', 'yagura', '-n', productNamespace, '--wait', '--timeout', '120s');
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });

  const left = (kind: string, ...scope: string[]) => tryKubectl(undefined, 'get', kind, ...scope, '-o', 'name');
  for (const kind of [
    'secrets',
    'leases',
    'serviceaccounts',
    'roles',
    'rolebindings',
    'services',
    'jobs',
    'configmaps',
  ]) {
    const { stdout } = await left(kind, '-n', productNamespace);
    expect(
      stdout.split('\n').filter((name) => name !== '' && !/kube-root-ca\.crt|serviceaccount\/default$/.test(name)),
    ).toEqual([]);
  }
  const clusterWide =
    'clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,apiservices,priorityclasses';
  const { stdout } = await left(clusterWide);
  // An APIService of kubevirt.io itself belongs to the CRDs.
  expect(
    stdout
      .split('\n')
      .filter((name) => /virt|yagura-uninstall/.test(name) && !/apiservice.*\/v1(alpha3)?\.kubevirt\.io$/.test(name)),
  ).toEqual([]);
  expect(
    await kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.labels}{.items[*].metadata.annotations}'),
  ).not.toContain('kubevirt.io/');
  expect((await getVmi(ns, 'guest'))?.status?.phase).toBe('Running');
  expect(await bootId(pod)).toBe(boot);
}, 200_000);

test('installed again, it picks the guest up', async () => {
  await installAgain();
  const { stdout } = await eventually('all layers answer', 60_000, async () => {
    const layers = await yagura('layers', `${ns}/guest`);
    return layers.code === 0 && /domain +state +running +libvirt +\S+ +live/.test(layers.stdout) ? layers : undefined;
  });
  expect(stdout).toMatch(/guest +agent\.channel +connected/);
  expect(await bootId(pod)).toBe(boot);
  await kubectl('-n', ns, 'delete', 'vmi', 'guest', '--timeout=90s');
}, 240_000);
