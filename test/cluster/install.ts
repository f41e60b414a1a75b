import { join } from 'node:path';
import { helm, kubectl, tryKubectl } from './kubectl.ts';
import { type NodeList, offersKvm } from './offers.ts';
import { checkout } from './paths.ts';
import type { Provider } from './provider.ts';
import type { StepContext } from './steps.ts';

const chart = join(checkout, 'charts/yagura');
export const namespace = 'yagura';
/** Which image each workload of the chart runs. */
export const workloads: Readonly<Record<string, string>> = {
  'virt-api': 'deployment/virt-api',
  'virt-controller': 'deployment/virt-controller',
  'virt-handler': 'daemonset/virt-handler',
};

/** virt-handler is privileged, also where the cluster's default is not to have that. */
const namespaceManifest = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
});

/**
 * Installs or upgrades the chart and waits until all of it runs.
 * @param loaded names of images that the nodes have only now
 */
export async function installChart(
  provider: Provider,
  loaded: ReadonlySet<string>,
  { note, signal }: StepContext,
): Promise<string> {
  // Helm installs a chart's CRDs once and never upgrades them.
  await kubectl(['apply', '--server-side', '--force-conflicts', '-f', join(chart, 'crds')], undefined, signal);
  const had = (await tryKubectl(['get', 'namespace', namespace], signal)) !== undefined;
  await kubectl(['apply', '--server-side', '-f', '-'], namespaceManifest, signal);
  note('helm upgrade --install');
  const emulate = provider.emulate ?? !(await someNodeOffersKvm(signal));
  await upgrade(provider, emulate, signal);
  // The tag stays the same when an image is rebuilt, so nothing else would tell the workloads.
  const stale = had ? Object.keys(workloads).filter((image) => loaded.has(image)) : [];
  for (const image of stale)
    await kubectl(['-n', namespace, 'rollout', 'restart', workloads[image] ?? ''], undefined, signal);
  for (const workload of Object.values(workloads)) {
    note(workload);
    await kubectl(['-n', namespace, 'rollout', 'status', workload, '--timeout=180s'], undefined, signal);
  }
  const did = stale.length === 0 ? 'rolled out' : `restarted ${stale.join(', ')}`;
  if (provider.emulate !== undefined) return did;
  // Before virt-handler ran there for the first time, no node offered anything.
  const kvm = await someNodeOffersKvm(signal);
  if (kvm === emulate) await upgrade(provider, !kvm, signal);
  return `${did}, ${kvm ? 'guests run by KVM' : 'no node offers KVM: guests are emulated'}`;
}

async function upgrade(provider: Provider, emulate: boolean, signal: AbortSignal): Promise<void> {
  const values = [...provider.chartValues, `image.pullPolicy=${provider.pullPolicy}`, `useEmulation=${emulate}`];
  const sets = values.flatMap((value) => ['--set', value]);
  await helm(['upgrade', '--install', 'yagura', chart, '--namespace', namespace, ...sets], signal);
}

async function someNodeOffersKvm(signal: AbortSignal): Promise<boolean> {
  return offersKvm(JSON.parse(await kubectl(['get', 'nodes', '-o', 'json'], undefined, signal)) as NodeList);
}
