import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { exec, tryExec } from './exec.ts';
import { readText, writeIfChanged } from './files.ts';
import { kubectl } from './kubectl.ts';
import { furnishingStep } from './offers.ts';
import { bin, dotLocal, kubeconfigPath } from './paths.ts';
import { loadedImage, type Provider } from './provider.ts';
import { ensureKubectl, ensureTool, kindTool, laterToolSteps, writeLauncher } from './tools.ts';

const cluster = 'yagura';
const loadedPath = join(dotLocal, 'kind-images.json');
const kind = (args: readonly string[], signal?: AbortSignal, input?: string): Promise<string> =>
  exec(
    join(bin, 'kind'),
    [...args, '--name', cluster],
    { log: 'kind.log', ...(input === undefined ? {} : { input }) },
    signal,
  );

/** As with the local provider, the control plane runs no pods of ours. */
export function renderKindConfig(workers: number): string {
  const nodes = [{ role: 'control-plane' }, ...Array.from({ length: workers }, () => ({ role: 'worker' }))];
  return stringify({ kind: 'Cluster', apiVersion: 'kind.x-k8s.io/v1alpha4', nodes });
}

async function isThere(signal?: AbortSignal): Promise<boolean> {
  const clusters = await exec(join(bin, 'kind'), ['get', 'clusters'], {}, signal);
  return clusters.split('\n').includes(cluster);
}

async function create(workers: number, signal: AbortSignal): Promise<string> {
  if (await isThere(signal)) {
    await kind(['export', 'kubeconfig', '--kubeconfig', kubeconfigPath], signal);
    return 'kept';
  }
  await writeIfChanged(loadedPath, '{}');
  await kind(
    ['create', 'cluster', '--kubeconfig', kubeconfigPath, '--wait', '120s', '--config', '-'],
    signal,
    renderKindConfig(workers),
  );
  return `${workers} nodes`;
}

async function load(archives: readonly string[], signal: AbortSignal): Promise<string[]> {
  const loaded = JSON.parse((await readText(loadedPath)) ?? '{}') as Record<string, string>;
  const names: string[] = [];
  for (const archive of archives) {
    const digest = createHash('sha256')
      .update(await readFile(archive))
      .digest('hex');
    if (loaded[archive] === digest) continue;
    await kind(['load', 'image-archive', archive], signal);
    loaded[archive] = digest;
    await writeIfChanged(loadedPath, JSON.stringify(loaded));
    names.push(
      archive
        .split('/')
        .at(-1)
        ?.replace(/\.tar$/, '') ?? archive,
    );
  }
  return names;
}

export function kindProvider(nodes: number | undefined): Provider {
  return {
    name: 'kind',
    steps: [
      { name: 'kind binary', lane: 'build', run: ({ signal }) => ensureTool(kindTool, signal) },
      { name: 'kubectl', lane: 'build', run: ({ signal }) => ensureKubectl(signal) },
      { name: 'kind cluster', after: ['kind binary'], run: ({ signal }) => create(nodes ?? 2, signal) },
      {
        name: 'ready',
        after: ['kind cluster', 'kubectl'],
        run: async ({ signal }) => {
          await writeLauncher('node-exec', 'node=$1; shift; exec docker exec "$node"');
          await kubectl(['wait', 'nodes', '--all', '--for=condition=Ready', '--timeout=120s'], undefined, signal);
          return undefined;
        },
      },
      furnishingStep,
    ],
    lastSteps: laterToolSteps,
    chartValues: [],
    emulate: true,
    pullPolicy: 'IfNotPresent',
    image: loadedImage,
    loadImages: load,
  };
}

export async function kindDown(signal: AbortSignal): Promise<string> {
  if ((await tryExec('test', ['-x', join(bin, 'kind')])) === undefined) return 'there was none';
  await kind(['delete', 'cluster', '--kubeconfig', kubeconfigPath], signal);
  return 'deleted';
}
