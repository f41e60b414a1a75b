import { get, kubectl, list, productNamespace, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  freshNamespace,
  getVm,
  getVmi,
  type PodObject,
  tinyVm,
  tinyVmi,
  untilPhase,
} from './support/machines.ts';

const ns = 'e2e-virt-api';
const group = '/apis/subresources.kubevirt.io/v1';
const path = (resource: string, name: string, subresource: string) =>
  `${group}/namespaces/${ns}/${resource}/${name}/${subresource}`;

/** PUT of a subresource, optionally as somebody else. */
const put = (where: string, body: object = {}, as: string[] = []) =>
  tryKubectl(body, ...as, 'replace', '--raw', where, '-f', '-');
const getRaw = (where: string, as: string[] = []) => tryKubectl(undefined, ...as, 'get', '--raw', where);

const virtApiPods = () => list<PodObject>('pods', '-n', productNamespace, '-l', 'kubevirt.io=virt-api');

beforeAll(async () => {
  await freshNamespace(ns);
}, 150_000);

afterAll(async () => {
  await kubectl('delete', 'namespace', ns, '--wait=false');
}, 60_000);

describe('start and stop', () => {
  beforeAll(async () => {
    await apply(tinyVm(ns, 'halted', 'Halted'));
  });

  test.each([
    ['stop', {}, 'VM is not running'],
    ['restart', {}, 'Halted does not support manual restart requests'],
    ['restart', { gracePeriodSeconds: 30 }, 'gracePeriodSeconds must be 0'],
    ['start', { paused: 'yes' }, 'paused must be a boolean'],
  ])('%s of a halted machine with %j is refused in words', async (verb, body, text) => {
    const { code, stderr } = await put(path('virtualmachines', 'halted', verb), body);
    expect(code).not.toBe(0);
    expect(stderr).toContain(text);
  });

  test('a dry run changes nothing', async () => {
    expect(await put(path('virtualmachines', 'halted', 'start'), { dryRun: ['All'] })).toMatchObject({ code: 0 });
    expect((await getVm(ns, 'halted'))?.spec.runStrategy).toBe('Halted');
  });

  test('what does not exist is not found', async () => {
    expect((await put(path('virtualmachines', 'nobody', 'start'))).stderr).toContain('"nobody" not found');
    expect((await getRaw(path('virtualmachineinstances', 'nobody', 'layers'))).stderr).toContain('"nobody" not found');
  });
});

describe('who may', () => {
  const jane = ['--as', 'jane', '--as-group', 'system:authenticated'];
  const layers = path('virtualmachineinstances', 'guarded', 'layers');
  const start = path('virtualmachines', 'guarded', 'start');

  beforeAll(async () => {
    await apply(tinyVm(ns, 'guarded', 'Halted'));
  });

  test('a user without a role is refused', async () => {
    expect((await getRaw(layers, jane)).stderr).toContain('Forbidden');
    expect((await put(start, {}, jane)).stderr).toContain('Forbidden');
  });

  test('view reads, and does not start', async () => {
    await kubectl('create', 'rolebinding', 'jane-view', '-n', ns, '--clusterrole=view', '--user=jane');
    await eventually('view is in force', 10_000, async () => (await getRaw(layers, jane)).code === 0);
    expect((await put(start, {}, jane)).stderr).toContain('Forbidden');
  });

  test('edit starts', async () => {
    await kubectl('create', 'rolebinding', 'jane-edit', '-n', ns, '--clusterrole=edit', '--user=jane');
    await eventually('edit is in force', 10_000, async () => (await put(start, { dryRun: ['All'] }, jane)).code === 0);
  });

  test('whoever does not come through the API server is nobody', async () => {
    const [pod] = await virtApiPods();
    const direct = `/api/v1/namespaces/${productNamespace}/pods/https:${pod?.metadata.name}:8443/proxy${layers}`;
    const { code, stdout, stderr } = await getRaw(direct);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/not authenticated|provide credentials/i);
  });
});

describe('while virt-api is dead', () => {
  beforeAll(async () => {
    await apply(tinyVmi(ns, 'instance'));
    await apply(tinyVm(ns, 'always', 'Always'));
    await untilPhase(ns, 'instance', 'Running', 90_000);
    await untilPhase(ns, 'always', 'Running', 90_000);
    await kubectl('-n', productNamespace, 'scale', 'deployment/virt-api', '--replicas=0');
    await eventually('virt-api is gone', 60_000, async () => (await virtApiPods()).length === 0);
  }, 240_000);

  afterAll(async () => {
    await kubectl('-n', productNamespace, 'scale', 'deployment/virt-api', '--replicas=1');
    await kubectl('-n', productNamespace, 'rollout', 'status', 'deployment/virt-api', '--timeout=90s');
    await kubectl('wait', '--for=condition=Available', 'apiservice/v1.subresources.kubevirt.io', '--timeout=60s');
  }, 160_000);

  test('users create and change nothing unchecked', async () => {
    const created = await tryKubectl(tinyVmi(ns, 'unchecked'), 'create', '-f', '-');
    expect(created.code).not.toBe(0);
    const patch = '{"status":{"phase":"Succeeded"}}';
    const patched = await tryKubectl(undefined, '-n', ns, 'patch', 'vmi', 'instance', '--type=merge', '-p', patch);
    expect(patched.code).not.toBe(0);
    expect((await getVmi(ns, 'instance'))?.status?.phase).toBe('Running');
  }, 60_000);

  test('an annotation, which nothing guards, is written all the same', async () => {
    expect(await tryKubectl(undefined, '-n', ns, 'annotate', 'vmi', 'instance', 'a=b')).toMatchObject({ code: 0 });
  });

  test('an instance is shut down and goes, finalizers and all', async () => {
    await kubectl('-n', ns, 'delete', 'vmi', 'instance', '--timeout=90s');
    expect(await get('vmi', 'instance', ns)).toBeUndefined();
  }, 120_000);

  test('a machine whose instance is deleted gets a new one, which runs', async () => {
    const before = await getVmi(ns, 'always');
    await kubectl('-n', ns, 'delete', 'vmi', 'always', '--timeout=90s');
    const after = await eventually('a new instance runs', 90_000, async () => {
      const vmi = await getVmi(ns, 'always');
      return vmi?.metadata.uid !== before?.metadata.uid && vmi?.status?.phase === 'Running' ? vmi : undefined;
    });
    expect(after.spec.domain.machine?.type).toBe('q35');
  }, 200_000);
});
