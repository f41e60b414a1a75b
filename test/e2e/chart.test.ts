import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeVirt } from '@yagura/api';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { helm, kubectl, list, productNamespace, root, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { freshNamespace } from './support/machines.ts';

const chart = join(root, 'charts/yagura');
const ns = 'e2e-chart';

interface Manifest {
  kind: string;
  apiVersion: string;
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
}

/** Every value that the schema knows, away from its default. */
const everything = {
  image: { registry: 'registry.example/virt', tag: '1.2.3', pullPolicy: 'Always', pullSecrets: ['pull'] },
  useEmulation: true,
  logLevel: 4,
  configuration: { migrations: { parallelMigrationsPerCluster: 2 }, developerConfiguration: { cpuAllocationRatio: 5 } },
  virtApi: { replicas: 2, nodeSelector: { infra: 'here' }, tolerations: [{ key: 'infra', operator: 'Exists' }] },
  virtController: { replicas: 2, nodeSelector: { infra: 'here' }, tolerations: [{ key: 'infra', operator: 'Exists' }] },
  virtHandler: { nodeSelector: { virt: 'here' }, tolerations: [{ operator: 'Exists' }], kubeletRoot: '/data/kubelet' },
  nodeHealth: { heartbeatPeriodSeconds: 30, heartbeatTimeoutSeconds: 90 },
  metrics: {
    serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
    prometheusRule: {
      enabled: true,
      labels: { release: 'prometheus' },
      runbookUrl: 'https://docs.example/runbooks/',
    },
    grafanaDashboard: { enabled: true, labels: { grafana_dashboard: 'virt' } },
  },
  uninstall: { force: true },
};

/** Kinds whose definitions are another product's. */
const FOREIGN = ['ServiceMonitor', 'PrometheusRule'];

async function rendered(values: object, namespace = 'yagura'): Promise<Manifest[]> {
  const file = join(mkdtempSync(join(tmpdir(), 'chart-')), 'values.yaml');
  writeFileSync(file, stringify(values));
  const { code, stdout, stderr } = await helm(
    'template',
    'yagura',
    chart,
    '-n',
    namespace,
    '--kube-version',
    '1.34.4',
    '-f',
    file,
  );
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

test.each([
  ['default', {}],
  ['everything', everything],
])('the chart with %s values renders as it did', async (name, values) => {
  const manifests = await rendered(values);
  const text = manifests.map((manifest) => stringify(manifest, { lineWidth: 0 })).join('---\n');
  const golden = join(import.meta.dirname, 'goldens', `chart-${name}.yaml`);
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(golden, text);
  expect(text).toBe(readFileSync(golden, 'utf8'));
});

test.each([
  ['default', {}],
  ['everything', everything],
])(
  'the API server takes every object of the chart with %s values, unknown fields and all expressions checked',
  async (_name, values) => {
    await freshNamespace(ns);
    const manifests = (await rendered(values, ns)).filter(
      ({ kind }) => kind !== 'PriorityClass' && !FOREIGN.includes(kind),
    );
    const all = { apiVersion: 'v1', kind: 'List', items: manifests };
    const { stderr } = await tryKubectl(all, 'create', '--dry-run=server', '--validate=strict', '-f', '-');
    // What is cluster-wide is there already, from the installation under test.
    expect(stderr.split('\n').filter((line) => line !== '' && !line.includes('(AlreadyExists)'))).toEqual([]);
    expect(manifests.length).toBeGreaterThan(30);
    await kubectl('delete', 'namespace', ns, '--wait=false');
  },
  120_000,
);

test.each([
  ['an unknown value', { imagee: {} }, 'imagee'],
  ['a tag that is none', { image: { registry: 'r', tag: 'a/b' } }, 'tag'],
  ['no replica', { virtApi: { replicas: 0 } }, 'replicas'],
  ['a log level beyond 9', { logLevel: 10 }, 'logLevel'],
  ['an interval that is none', { metrics: { serviceMonitor: { interval: '30' } } }, 'interval'],
  [
    'a heartbeat that is too slow for its timeout',
    { nodeHealth: { heartbeatPeriodSeconds: 150 } },
    'heartbeatTimeoutSeconds is 300',
  ],
])('%s is refused, and named', async (_what, values, name) => {
  await expect(rendered(values)).rejects.toThrow(name);
});

test('no component but virt-handler is privileged, and all others run as nobody in particular', async () => {
  for (const manifest of await rendered({})) {
    const spec = (manifest as { spec?: { template?: { spec?: PodSpec } } }).spec?.template?.spec;
    if (spec === undefined || manifest.metadata.name === 'virt-handler') continue;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of spec.containers) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.securityContext).not.toHaveProperty('privileged');
    }
  }
});

interface PodSpec {
  securityContext?: object;
  containers: { name: string; securityContext?: object }[];
}

test('nobody but the uninstallation may delete what is not theirs, and nobody has a wildcard', async () => {
  const roles = (await rendered({})).filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role') as (Manifest & {
    rules: { resources: string[]; verbs: string[] }[];
  })[];
  expect(roles.length).toBeGreaterThan(8);
  for (const { metadata, rules } of roles) {
    for (const { resources, verbs } of rules) {
      expect({ role: metadata.name, wildcards: [...resources, ...verbs].filter((word) => word.includes('*')) }).toEqual(
        {
          role: metadata.name,
          wildcards: [],
        },
      );
      if (resources.includes('secrets') && metadata.name !== 'yagura-uninstall') expect(verbs).not.toContain('delete');
    }
  }
});

test('the installation says that it is complete, and which version it is', async () => {
  const { appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as { appVersion: string };
  const { status } = await eventually('a KubeVirt object that is Deployed', 60_000, async () => {
    const [kubevirt] = await list<KubeVirt>('kubevirts', '-n', productNamespace);
    return kubevirt?.status?.phase === 'Deployed' && kubevirt;
  });
  expect(status).toMatchObject({ observedKubeVirtVersion: appVersion, targetKubeVirtVersion: appVersion });
}, 90_000);

test('an upgrade leaves the CA bundles that virt-controller wrote', async () => {
  const bundles = async (): Promise<string> =>
    (await kubectl('get', 'apiservice', 'v1.subresources.kubevirt.io', '-o', 'jsonpath={.spec.caBundle}')) +
    (await kubectl(
      'get',
      'validatingwebhookconfiguration',
      'virt-api-validator',
      '-o',
      'jsonpath={.webhooks[*].clientConfig.caBundle}',
    ));
  const before = await bundles();
  expect(before).not.toBe('');
  const { code, stderr } = await helm(
    'upgrade',
    'yagura',
    chart,
    '-n',
    'yagura',
    '--reuse-values',
    '--set',
    'logLevel=2',
  );
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(await bundles()).toBe(before);
}, 60_000);
