import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildImages } from '../../tools/images.ts';
import { exec } from './exec.ts';
import { helm, kubectl, tryKubectl } from './kubectl.ts';
import { bin, checkout, kubeconfigPath } from './paths.ts';
import type { Provider } from './provider.ts';
import type { Step, StepContext } from './steps.ts';
import { ensureTool, grpcurlTool, helmTool, kubeconformTool, writeLauncher } from './tools.ts';
import { waitFor } from './wait.ts';

const namespace = 'yagura';
/** Which image each workload of the chart runs. */
const workloads: Readonly<Record<string, string>> = {
  'virt-api': 'deployment/virt-api',
  'virt-controller': 'deployment/virt-controller',
  'virt-handler': 'daemonset/virt-handler',
};

async function installChart(
  provider: Provider,
  loaded: ReadonlySet<string>,
  { note, signal }: StepContext,
): Promise<string> {
  const chart = join(checkout, 'charts/yagura');
  const crds = join(chart, 'crds');
  // Helm installs a chart's CRDs once and never upgrades them.
  if (existsSync(crds)) await kubectl(['apply', '--server-side', '--force-conflicts', '-f', crds], undefined, signal);
  const had = (await tryKubectl(['get', 'namespace', namespace], signal)) !== undefined;
  note('helm upgrade --install');
  await helm(
    [
      'upgrade',
      '--install',
      'yagura',
      chart,
      '--namespace',
      namespace,
      '--create-namespace',
      ...provider.chartValues.flatMap((value) => ['--set', value]),
    ],
    signal,
  );
  // The tag stays the same when an image is rebuilt, so nothing else would tell the workloads.
  const stale = had ? Object.keys(workloads).filter((image) => loaded.has(image)) : [];
  for (const image of stale)
    await kubectl(['-n', namespace, 'rollout', 'restart', workloads[image] ?? ''], undefined, signal);
  for (const workload of Object.values(workloads)) {
    note(workload);
    await kubectl(['-n', namespace, 'rollout', 'status', workload, '--timeout=180s'], undefined, signal);
  }
  return stale.length === 0 ? 'rolled out' : `restarted ${stale.join(', ')}`;
}

interface VmiStatus {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

async function startDemo({ note, signal }: StepContext): Promise<string> {
  // The webhooks know virt-api's authority a moment after its pods are ready.
  await waitFor(
    () => tryKubectl(['apply', '--dry-run=server', '-f', join(checkout, 'test/cluster/demo.yaml')], signal),
    { timeoutMs: 30_000, everyMs: 500, what: 'virt-api admitting the demo' },
    signal,
  );
  await kubectl(['apply', '-f', join(checkout, 'test/cluster/demo.yaml')], undefined, signal);
  let last = '';
  await waitFor(
    async () => {
      const text = await tryKubectl(['-n', 'default', 'get', 'vmi', 'demo', '-o', 'json'], signal);
      if (text === undefined) return false;
      const { status } = JSON.parse(text) as VmiStatus;
      last = status?.phase ?? 'no phase yet';
      note(last);
      return status?.conditions?.some((each) => each.type === 'AgentConnected' && each.status === 'True');
    },
    {
      timeoutMs: 240_000,
      everyMs: 500,
      what: 'guest agent of default/demo (kubectl describe vmi demo; kubectl get pods)',
    },
    signal,
  );
  return `${last}, agent connected`;
}

/** Everything after there is a cluster; the same for every provider. */
export function productSteps(provider: Provider): Step[] {
  let archives: string[] = [];
  const loaded = new Set<string>();
  return [
    { name: 'helm', lane: 'build', run: ({ signal }) => ensureTool(helmTool, signal) },
    { name: 'grpcurl', lane: 'build', run: ({ signal }) => ensureTool(grpcurlTool, signal) },
    { name: 'kubeconform', lane: 'build', run: ({ signal }) => ensureTool(kubeconformTool, signal) },
    {
      name: 'images',
      run: async ({ note, signal }) => {
        const built = await buildImages({
          only: [...Object.keys(workloads), 'virt-launcher', 'guest-tiny'],
          note,
          signal,
        });
        archives = built.map((image) => image.archive);
        const changed = built.filter((image) => image.outcome !== 'unchanged');
        return changed.length === 0 ? 'unchanged' : changed.map((image) => image.name).join(', ');
      },
    },
    {
      // The bundle is made along with the images.
      name: 'yagura command',
      after: ['images'],
      run: async () => {
        const node = join(dirname(process.execPath), 'node');
        const program = join(checkout, 'cli/dist/yagura.mjs');
        for (const name of ['yagura', 'kubectl-yagura']) await writeLauncher(name, `exec ${node} ${program}`);
        return undefined;
      },
    },
    {
      name: 'load images',
      after: ['images', 'ready'],
      run: async ({ signal }) => {
        for (const name of await provider.loadImages(archives, signal)) loaded.add(name);
        return loaded.size === 0 ? 'already there' : [...loaded].join(', ');
      },
    },
    { name: 'chart', after: ['load images', 'helm'], run: (context) => installChart(provider, loaded, context) },
    { name: 'demo VM', after: ['chart', 'yagura command'], run: startDemo },
  ];
}

/** What `up` ends with: the demo as a client sees it, and its layers by the product's own command. */
export async function showDemo(signal: AbortSignal): Promise<string> {
  const objects = await kubectl(['-n', 'default', 'get', 'vm,vmi'], undefined, signal);
  const layers = await exec(
    join(bin, 'yagura'),
    ['layers', 'default/demo'],
    { env: { ...process.env, KUBECONFIG: kubeconfigPath } },
    signal,
  );
  return `\n${objects}\n${layers}`;
}
