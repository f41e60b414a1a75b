import { kubectl, list, productNamespace, tryKubectl } from './support/cluster.ts';
import { type Component, componentPod } from './support/components.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  freshNamespace,
  getVmi,
  inLauncher,
  launcherPod,
  type PodObject,
  pids,
  tinyVm,
  tinyVmi,
  untilAgent,
} from './support/machines.ts';
import { Prometheus } from './support/prometheus.ts';
import { run } from './support/shell.ts';

const ns = 'e2e-metrics';
let node: string;
let prometheus: Prometheus;

const podOf = async (component: Component): Promise<string> =>
  (await componentPod(component, component === 'virt-handler' ? node : undefined)).metadata.name;

async function scrape(component: Component): Promise<string> {
  return kubectl(
    'get',
    '--raw',
    `/api/v1/namespaces/${productNamespace}/pods/https:${await podOf(component)}:8443/proxy/metrics`,
  );
}

/** Values of the series of an instance, by name and the labels that are not of all of its series. */
function seriesOf(text: string, name: string): Map<string, number> {
  const lines = text
    .split('\n')
    .filter((line) => line.includes(`namespace="${ns}"`) && line.includes(`name="${name}"`));
  return new Map(
    lines.map((line) => {
      const [, family = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
      const own = labels.replaceAll(/(?:^|,)(?:node|namespace|name|kubernetes_vmi_label_\w+)="[^"]*"/g, '');
      return [`${family}{${own.replace(/^,/, '')}}`, Number(value)];
    }),
  );
}

beforeAll(async () => {
  await freshNamespace(ns);
  prometheus = await Prometheus.start();
  await apply(tinyVm(ns, 'well', 'Always'));
  node = (await untilAgent(ns, 'well', 120_000)).status?.nodeName ?? '';
  await apply(tinyVmi(ns, 'stuck', { nodeSelector: { 'kubernetes.io/hostname': node } }));
  await untilAgent(ns, 'stuck', 120_000);
}, 400_000);

afterAll(async () => {
  await prometheus?.stop();
  await tryKubectl(undefined, 'delete', 'namespace', ns, '--wait=false');
});

test.each<Component>(['virt-handler', 'virt-controller', 'virt-api'])(
  'Prometheus can read what %s exports',
  async (component) => {
    const { code, stdout, stderr } = await run('promtool', ['check', 'metrics'], { input: await scrape(component) });
    // 3: it was read, and some of its names are not as the rules of style say.
    expect({ code: code === 3 ? 0 : code, output: code === 3 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  },
);

test('a guest has figures of every kind, and its counters only grow', async () => {
  const first = await eventually('the balloon driver and the agent have reported', 60_000, async () => {
    const series = seriesOf(await scrape('virt-handler'), 'well');
    return (
      ['kubevirt_vmi_memory_usable_bytes{}', 'kubevirt_vmi_guest_load_1m{}'].every((name) => series.has(name)) && series
    );
  });
  for (const name of [
    'kubevirt_vmi_cpu_usage_seconds_total{}',
    'kubevirt_vmi_vcpu_seconds_total{id="0",state="running"}',
    'kubevirt_vmi_memory_resident_bytes{}',
    'kubevirt_vmi_network_transmit_bytes_total{interface="default"}',
    'kubevirt_vmi_storage_read_traffic_bytes_total{drive="root"}',
  ]) {
    expect(first.get(name)).toBeGreaterThan(0);
  }
  expect([...first.keys()].some((name) => name.startsWith('kubevirt_vmi_filesystem_capacity_bytes{'))).toBe(true);
  const second = seriesOf(await scrape('virt-handler'), 'well');
  for (const [name, value] of first) {
    if (name.includes('_total{')) expect(second.get(name)).toBeGreaterThanOrEqual(value);
  }
}, 90_000);

test('a Prometheus that is set up as the documentation says reads every component and every machine', async () => {
  const pods = await list<PodObject>('pods', '-n', productNamespace, '-l', 'prometheus.kubevirt.io=true');
  const up = await eventually('it has scraped them all', 30_000, async () => {
    const vectors = await prometheus.query('up');
    return vectors.length === pods.length && vectors.every(({ value }) => value === 1) && vectors;
  });
  expect(up.map(({ labels }) => labels['pod']).sort()).toEqual(pods.map(({ metadata }) => metadata.name).sort());
  expect(await prometheus.scrapeErrors()).toEqual([]);
  const machine = `{namespace="${ns}",name="well"}`;
  expect(await prometheus.query(`kubevirt_vm_info${machine}`)).toHaveLength(1);
  expect(await prometheus.query(`kubevirt_vmi_info${machine}`)).toHaveLength(1);
  const [cpu] = await eventually('two scrapes of a virtual CPU', 30_000, async () => {
    const rates = await prometheus.query(`rate(kubevirt_vmi_vcpu_seconds_total${machine}[30s])`);
    return rates.length > 0 && rates;
  });
  expect(cpu?.value).toBeGreaterThan(0);
  expect(cpu?.value).toBeLessThan(1.5);
}, 90_000);

test('the alerts of the chart are rules that Prometheus can evaluate, and none of them fires', async () => {
  const rules = await eventually('every rule was evaluated', 30_000, async () => {
    const all = await prometheus.rules();
    return all.length > 0 && all.every(({ health }) => health !== 'unknown') && all;
  });
  expect(rules.filter(({ health }) => health === 'err')).toEqual([]);
  expect(rules.filter(({ state }) => state === 'firing')).toEqual([]);
}, 60_000);

test('virt-controller tells what a machine and its instance are', async () => {
  const text = await eventually('the leader tells of it', 30_000, async () => {
    const seen = await scrape('virt-controller');
    return seen.includes(`kubevirt_vm_info{name="well",namespace="${ns}"`) && seen;
  });
  const series = [...seriesOf(text, 'well').keys()];
  expect(
    series.filter((name) => /^kubevirt_vmi_info\{phase="running",.*vmi_pod="virt-launcher-well-/.test(name)),
  ).toHaveLength(1);
  expect(
    series.filter((name) => /^kubevirt_vm_info\{.*status="running",status_group="running"\}$/.test(name)),
  ).toHaveLength(1);
});

test('a QEMU that hangs costs only its own figures, and is named', async () => {
  const vmi = await getVmi(ns, 'stuck');
  if (vmi === undefined) throw new Error('no VMI');
  const pod = await launcherPod(vmi);
  const [qemu] = await pids(pod, 'qemu-system-x86_64');
  await inLauncher(pod, `kill -STOP ${qemu}`);
  try {
    const begun = Date.now();
    const text = await scrape('virt-handler');
    // 2 s, and what the way through the API server takes.
    expect(Date.now() - begun).toBeLessThan(3_000);
    expect(seriesOf(text, 'well').has('kubevirt_vmi_cpu_usage_seconds_total{}')).toBe(true);
    const stuck = seriesOf(text, 'stuck');
    expect(stuck.has('kubevirt_vmi_cpu_usage_seconds_total{}')).toBe(false);
    expect(stuck.get('yagura_vmi_layer_up{layer="metrics"}')).toBe(0);
    const age = 'yagura_vmi_layer_age_seconds{layer="domain"}';
    const named = await eventually('the domain layer is down', 15_000, async () => {
      const series = seriesOf(await scrape('virt-handler'), 'stuck');
      return series.get('yagura_vmi_layer_up{layer="domain"}') === 0 && series;
    });
    await eventually('Prometheus is about to call somebody', 20_000, async () => {
      const rule = (await prometheus.rules()).find(({ name }) => name === 'VMIDomainSilent');
      const names = rule?.alerts.map(({ labels, state }) => `${labels['name']} ${state}`);
      return names?.length === 1 && names[0] === 'stuck pending';
    });
    const onNode = `{pod="${await podOf('virt-handler')}"}`;
    expect((await prometheus.query(`max_over_time(scrape_duration_seconds${onNode}[10s])`))[0]?.value).toBeLessThan(
      2.5,
    );
    expect(await prometheus.query(`min_over_time(up${onNode}[30s]) == 1`)).toHaveLength(1);
    await eventually('its age grows', 10_000, async () => {
      const now = seriesOf(await scrape('virt-handler'), 'stuck').get(age);
      return now !== undefined && now > (named.get(age) ?? 0);
    });
  } finally {
    await inLauncher(pod, `kill -CONT ${qemu}`);
  }
  await eventually('its figures are back', 30_000, async () => {
    const series = seriesOf(await scrape('virt-handler'), 'stuck');
    return (
      series.get('yagura_vmi_layer_up{layer="domain"}') === 1 &&
      series.get('yagura_vmi_layer_up{layer="metrics"}') === 1 &&
      series.has('kubevirt_vmi_cpu_usage_seconds_total{}')
    );
  });
}, 120_000);
