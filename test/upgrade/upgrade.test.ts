// An upgrade from an earlier commit of this repository, on the local cluster, under a guest that runs. It replaces the
// cluster's product for a while, so it is not among the suites of `npm test`: `npm run up && npm run test:upgrade`.
import type { VirtualMachineInstance } from '@yagura/api';
import { exec } from '../cluster/exec.ts';
import { readClusterFile } from '../cluster/local/cluster-file.ts';
import { loadImagesInto } from '../cluster/local/load-images.ts';
import { planNodes } from '../cluster/local/plan.ts';
import { helm, kubectl, list, productNamespace, root, yagura } from '../e2e/support/cluster.ts';
import { eventually } from '../e2e/support/eventually.ts';
import {
  apply,
  bootId,
  condition,
  eventsOf,
  freshNamespace,
  getVm,
  getVmi,
  launcherPod,
  type PodObject,
  tinyVm,
  untilAgent,
} from '../e2e/support/machines.ts';
import { buildEarlier, type EarlierProduct, earlierCommit } from './earlier.ts';

const ns = 'upgrade';
let earlier: EarlierProduct | undefined;
let vmi: VirtualMachineInstance;
let pod: PodObject;
let boot: string;

interface Imaged {
  spec: { containers: { name: string; image: string }[] };
}

/** Images of the components that run, and nothing else runs of them. */
async function images(component: string): Promise<string[]> {
  const pods = await list<Imaged>('pods', '-n', productNamespace, '-l', `kubevirt.io=${component}`);
  return [...new Set(pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image)))];
}

async function computeImage(of: PodObject): Promise<string | undefined> {
  const found = await list<Imaged & PodObject>('pods', '-n', of.metadata.namespace);
  const its = found.find(({ metadata }) => metadata.uid === of.metadata.uid);
  return its?.spec.containers.find(({ name }) => name === 'compute')?.image;
}

async function installEarlier({ tag, chart }: EarlierProduct): Promise<void> {
  await kubectl('apply', '--server-side', '--force-conflicts', '-f', `${chart}/crds`);
  const values = ['--set', `image.tag=${tag}`, '--set', 'useEmulation=true'];
  const done = await helm('upgrade', '--install', 'yagura', chart, '-n', productNamespace, '--reset-values', ...values);
  if (done.code !== 0) throw new Error(`helm upgrade to the earlier chart: ${done.stderr}`);
  for (const workload of ['deployment/virt-api', 'deployment/virt-controller', 'daemonset/virt-handler'])
    await kubectl('-n', productNamespace, 'rollout', 'status', workload, '--timeout=120s');
}

const toCurrent = (): Promise<string> =>
  exec(process.execPath, ['test/cluster/up.ts'], { cwd: root, log: 'upgrade-up.log' });

/** How long a step took, told beside the tests, which only show their own time. */
async function timed<T>(what: string, work: Promise<T>): Promise<T> {
  const began = Date.now();
  const result = await work;
  process.stdout.write(`  ${what}: ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
  return result;
}

beforeAll(async () => {
  const cluster = await readClusterFile();
  if (cluster === undefined) throw new Error('there is no local cluster to upgrade: npm run up');
  const others = (await list<VirtualMachineInstance>('vmi', '--all-namespaces'))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .filter((name) => name !== 'default/demo' && !name.startsWith(`${ns}/`));
  if (others.length > 0)
    throw new Error(
      `an older product would get hold of ${others.join(', ')}: delete them first, or use another cluster`,
    );
  const product = await timed(`images of ${earlierCommit.slice(0, 12)} built`, buildEarlier(earlierCommit));
  earlier = product;
  await timed(
    'loaded into the nodes',
    Promise.all(planNodes(cluster.nodes).map(({ name }) => loadImagesInto(name, product.archives))),
  );
  await kubectl('-n', 'default', 'delete', 'vm', 'demo', '--ignore-not-found', '--timeout=90s');
  await timed('earlier product installed', installEarlier(product));
  await freshNamespace(ns);
  await apply(tinyVm(ns, 'keeper', 'Always'));
  vmi = await timed('its guest up', untilAgent(ns, 'keeper'));
  pod = await launcherPod(vmi);
  boot = await bootId(pod);
  await timed('upgraded to this work tree, new demo up', toCurrent());
}, 1_800_000);

afterAll(async () => {
  if (earlier === undefined) return;
  await earlier.dispose();
  if ((await images('virt-handler')).some((image) => !image.endsWith(':dev'))) await toCurrent();
  await kubectl('delete', 'namespace', ns, '--wait=false', '--ignore-not-found');
}, 600_000);

test('every component is the current one, and the launcher the earlier one', async () => {
  for (const component of ['virt-api', 'virt-controller', 'virt-handler'])
    await eventually(`${component} is current alone`, 60_000, async () => {
      expect(await images(component)).toEqual([`localhost/yagura/${component}:dev`]);
      return true;
    });
  expect(await computeImage(pod)).toBe(`localhost/yagura/virt-launcher:${earlier?.tag}`);
}, 90_000);

test('the guest is the same, never rebooted, in the same pod, of the same instance', async () => {
  const now = await untilAgent(ns, 'keeper');
  expect(now.metadata.uid).toBe(vmi.metadata.uid);
  expect((await launcherPod(now)).metadata.uid).toBe(pod.metadata.uid);
  expect(await bootId(pod)).toBe(boot);
});

test('layers of the domain, the guest and the network are live', async () => {
  await eventually('all layers answer', 60_000, async () => {
    const { code, stdout, stderr } = await yagura('layers', `${ns}/keeper`);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/domain +state +running +libvirt +\S+ +live/);
    expect(stdout).toMatch(/guest +agent\.channel +connected/);
    expect(stdout).toMatch(/network +default\.podIPs +[\d.]+/);
    return true;
  });
}, 90_000);

test('the guest agent answers through the API server', async () => {
  const base = `/apis/subresources.kubevirt.io/v1/namespaces/${ns}/virtualmachineinstances/keeper`;
  const info = JSON.parse(await kubectl('get', '--raw', `${base}/guestosinfo`)) as { os?: { prettyName?: string } };
  expect(info.os?.prettyName).toContain('Yagura');
  const filesystems = await eventually(
    'its file systems',
    60_000,
    async () => (JSON.parse(await kubectl('get', '--raw', `${base}/filesystemlist`)) as { items: unknown[] }).items,
  );
  expect(filesystems.length).toBeGreaterThan(0);
});

test('it is paused and goes on', async () => {
  expect(await yagura('pause', `${ns}/keeper`)).toMatchObject({ code: 0 });
  await kubectl('-n', ns, 'wait', 'vmi/keeper', '--for=condition=Paused', '--timeout=20s');
  expect(await yagura('unpause', `${ns}/keeper`)).toMatchObject({ code: 0 });
  await kubectl('-n', ns, 'wait', 'vmi/keeper', '--for=condition=Ready', '--timeout=20s');
  expect(await bootId(pod)).toBe(boot);
});

test('nothing of it has been warned of', async () => {
  expect((await eventsOf(ns, 'keeper')).filter(({ type }) => type === 'Warning')).toEqual([]);
  expect(condition(await getVm(ns, 'keeper'), 'Failure')).toBeUndefined();
});

test('a restart shuts the guest down and brings one under the current launcher', async () => {
  expect(await yagura('restart', `${ns}/keeper`)).toMatchObject({ code: 0 });
  const next = await eventually('a new instance', 60_000, async () => {
    const now = await getVmi(ns, 'keeper');
    return now !== undefined && now.metadata.uid !== vmi.metadata.uid && now;
  });
  const stopped = (await eventsOf(ns, 'keeper')).find(
    ({ reason, involvedObject }) => reason === 'Stopped' && involvedObject.uid === vmi.metadata.uid,
  );
  expect(stopped).toMatchObject({ type: 'Normal', message: expect.stringContaining('shut down') as string });
  await untilAgent(ns, 'keeper');
  expect(await computeImage(await launcherPod(next))).toBe('localhost/yagura/virt-launcher:dev');
}, 180_000);

test('the machine goes within its grace', async () => {
  const began = Date.now();
  await kubectl('-n', ns, 'delete', 'vm', 'keeper', '--timeout=60s');
  expect(Date.now() - began).toBeLessThan(30_000);
}, 90_000);
