import type { Diagnosis, LayersReport, Observation } from '@yagura/layers';
import { get, kubectl, list, productNamespace, untilBuilt, yagura } from './support/cluster.ts';
import { componentPod, signalComponent } from './support/components.ts';
import { eventually } from './support/eventually.ts';
import { apply, freshNamespace, type PodObject, tinyVmi, untilAgent } from './support/machines.ts';

const ns = 'e2e-diagnose';
let node: string;

async function diagnosis(name: string): Promise<{ code: number; verdict: Diagnosis['verdict']; seconds: number }> {
  const started = performance.now();
  const { code, stdout, stderr } = await yagura('diagnose', `${ns}/${name}`, '-o', 'json');
  const seconds = (performance.now() - started) / 1000;
  if (stdout === '') throw new Error(`diagnose says nothing: ${stderr}`);
  return { code, verdict: (JSON.parse(stdout) as Diagnosis).verdict, seconds };
}

async function layers(name: string): Promise<(path: string) => Observation | undefined> {
  const { stdout, stderr } = await yagura('layers', `${ns}/${name}`, '-o', 'json');
  if (stdout === '') throw new Error(`layers says nothing: ${stderr}`);
  const { observations } = JSON.parse(stdout) as LayersReport;
  return (path) => observations.find(({ layer, field }) => `${layer} ${field}` === path);
}

const untilHealthy = async () =>
  eventually(`${ns}/steady is healthy`, 60_000, async () => {
    const { verdict } = await diagnosis('steady');
    if (verdict.status !== 'healthy') throw new Error(`${verdict.signal}: ${verdict.because.join('; ')}`);
    return verdict;
  });

beforeAll(async () => {
  await untilBuilt('yagura');
  await freshNamespace(ns);
  await apply(tinyVmi(ns, 'steady'));
  node = (await untilAgent(ns, 'steady')).status?.nodeName ?? '';
}, 240_000);

afterAll(async () => {
  await kubectl('delete', 'namespace', ns, '--wait=false');
}, 60_000);

test('a report has lease, events, claims, network devices, blockers, and what the object shows beside its sources', async () => {
  await untilHealthy();
  const of = await layers('steady');
  expect(of('node lease')).toMatchObject({ freshness: 'live', maxAge: 40 });
  expect(of('kubernetes event.vmi.Started')).toMatchObject({ freshness: 'live' });
  expect(of('network default.tap')?.value).toMatchObject({ device: 'tap0', up: true, carrier: true });
  expect(of('network default.bridge')?.value).toMatchObject({ up: true });
  expect(of('migration blockers')).toMatchObject({ value: [] });
  const { stdout } = await yagura('layers', `${ns}/steady`, '--logs');
  expect(stdout).toMatch(/^status\.phase +Running +Running +domain state +none$/m);
  expect(stdout).toMatch(/^LOG yagura\/virt-handler-\w+ virt-handler$/m);
  expect(stdout).toMatch(new RegExp(`^LOG ${ns}/virt-launcher-steady-\\w+ compute$`, 'm'));
}, 90_000);

test('without virt-api the guest’s truth is told all the same, by the pod of its virt-handler', async () => {
  const deployment = await get<{ spec: { replicas: number } }>('deployment', 'virt-api', productNamespace);
  const scale = async (replicas: number) =>
    kubectl('-n', productNamespace, 'scale', 'deployment/virt-api', `--replicas=${replicas}`);
  try {
    await scale(0);
    await eventually('virt-api has gone', 45_000, async () => {
      const pods = await list<PodObject>('pods', '-n', productNamespace, '-l', 'kubevirt.io=virt-api');
      return pods.length === 0 || undefined;
    });
    const { code, verdict } = await diagnosis('steady');
    expect([code, verdict.status, verdict.signal]).toEqual([1, 'degraded', 'virt-api-silent']);
    expect(verdict.because).toContainEqual(expect.stringMatching(/^the guest runs for .*its agent answers$/));
    const of = await layers('steady');
    expect(of('node virt-handler')).toMatchObject({ value: 'answers', source: 'pods/exec' });
    expect(of('domain state')).toMatchObject({ value: 'running', source: 'libvirt', freshness: 'live' });
  } finally {
    await scale(deployment?.spec.replicas ?? 1);
    await kubectl('-n', productNamespace, 'rollout', 'status', 'deployment/virt-api', '--timeout=60s');
  }
  await untilHealthy();
}, 180_000);

test('a virt-handler that hangs is named within 10 s, with when it was last heard of', async () => {
  const handler = await componentPod('virt-handler', node);
  try {
    await signalComponent(handler, 'STOP');
    const { verdict, seconds } = await diagnosis('steady');
    expect(['virt-handler-silent', 'virt-handler-dead']).toContain(verdict.signal);
    expect(verdict.layer).toBe('node');
    expect(Date.now() - Date.parse(verdict.since ?? '')).toBeLessThan(60_000);
    expect(seconds).toBeLessThan(10);
  } finally {
    await signalComponent(handler, 'CONT');
  }
  await untilHealthy();
}, 120_000);

test('a claim that is missing is named', async () => {
  const vmi = tinyVmi(ns, 'claimless');
  const { spec } = vmi;
  const disks = [...(spec.domain.devices.disks ?? []), { name: 'data', disk: { bus: 'virtio' as const } }];
  const volumes = [...(spec.volumes ?? []), { name: 'data', persistentVolumeClaim: { claimName: 'nowhere' } }];
  await apply({
    ...vmi,
    spec: { ...spec, domain: { ...spec.domain, devices: { ...spec.domain.devices, disks } }, volumes },
  });
  try {
    const verdict = await eventually('pvc-missing is the verdict', 20_000, async () => {
      const found = (await diagnosis('claimless')).verdict;
      if (found.signal !== 'pvc-missing') throw new Error(found.signal);
      return found;
    });
    expect(verdict.because).toContain('PersistentVolumeClaim nowhere does not exist');
  } finally {
    await kubectl('-n', ns, 'delete', 'vmi', 'claimless', '--timeout=30s');
  }
}, 60_000);
