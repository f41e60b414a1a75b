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

/** An image that was built, as the nodes have it by now. */
export interface ProductImage {
  readonly name: string;
  /** Its id, as containerd says it of an image that was imported. */
  readonly digest: string;
  /** The nodes have it only now. */
  readonly isNew: boolean;
}

/** Installs or upgrades the chart and waits until all of it runs, by the images given. */
export async function installChart(
  provider: Provider,
  images: readonly ProductImage[],
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
  const stale = had ? await outdated(images, signal) : [];
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

interface PodList {
  items: { metadata: { deletionTimestamp?: string }; status?: { containerStatuses?: { imageID: string }[] } }[];
}

/** Names of workloads that run, or may run, another image than the one given. */
async function outdated(images: readonly ProductImage[], signal: AbortSignal): Promise<string[]> {
  const isOutdated = async ({ name, digest, isNew }: ProductImage): Promise<boolean> => {
    if (!(name in workloads)) return false;
    if (isNew) return true;
    const args = ['-n', namespace, 'get', 'pods', '-l', `kubevirt.io=${name}`, '-o', 'json'];
    const { items } = JSON.parse(await kubectl(args, undefined, signal)) as PodList;
    return (
      items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .flatMap(({ status }) => status?.containerStatuses ?? [])
        // Of an image from a registry it is the digest of a manifest, which says nothing here.
        .some(({ imageID }) => imageID.startsWith('sha256:') && imageID !== `sha256:${digest}`)
    );
  };
  const verdicts = await Promise.all(images.map(isOutdated));
  return images.filter((_, index) => verdicts[index]).map(({ name }) => name);
}

async function upgrade(provider: Provider, emulate: boolean, signal: AbortSignal): Promise<void> {
  const values = [...provider.chartValues, `image.pullPolicy=${provider.pullPolicy}`, `useEmulation=${emulate}`];
  const sets = values.flatMap((value) => ['--set', value]);
  await helm(['upgrade', '--install', 'yagura', chart, '--namespace', namespace, ...sets], signal);
}

async function someNodeOffersKvm(signal: AbortSignal): Promise<boolean> {
  return offersKvm(JSON.parse(await kubectl(['get', 'nodes', '-o', 'json'], undefined, signal)) as NodeList);
}
