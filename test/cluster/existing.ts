import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildImages } from '../../tools/images.ts';
import { exec } from './exec.ts';
import { writeIfChanged } from './files.ts';
import { helm, kubectl, tryKubectl } from './kubectl.ts';
import { kubeconfigPath } from './paths.ts';
import type { Provider } from './provider.ts';
import { ensureKubectl } from './tools.ts';

/** Where an existing cluster pulls images from: it has no other way to get them. */
const registry = process.env['YAGURA_REGISTRY'];

/** The current context alone, complete in itself, so that everything else works as with the other providers. */
async function takeKubeconfig(signal: AbortSignal): Promise<string> {
  const given = process.env['KUBECONFIG'] ?? '';
  // Our own kubectl would take the file that is about to be written for the default.
  const env = {
    ...process.env,
    KUBECONFIG: given === '' || given === kubeconfigPath ? join(homedir(), '.kube/config') : given,
  };
  const view = ['config', 'view', '--minify', '--flatten', '--raw'];
  const text = await exec('kubectl', view, { env }, signal).catch((error: Error) => {
    throw new Error(`the current kubeconfig names no cluster (set KUBECONFIG or a context): ${error.message}`);
  });
  await writeIfChanged(kubeconfigPath, text, 0o600);
  return (await kubectl(['config', 'current-context'], undefined, signal)).trim();
}

export function existingProvider(): Provider {
  return {
    name: 'existing',
    steps: [
      { name: 'kubectl', lane: 'build', run: ({ signal }) => ensureKubectl(signal) },
      { name: 'kubeconfig', after: ['kubectl'], run: ({ signal }) => takeKubeconfig(signal) },
      {
        name: 'ready',
        after: ['kubeconfig'],
        run: async ({ signal }) => {
          await kubectl(['wait', 'nodes', '--all', '--for=condition=Ready', '--timeout=60s'], undefined, signal);
          return undefined;
        },
      },
    ],
    lastSteps: () => [],
    chartValues: [`image.registry=${registry ?? ''}`],
    loadImages: async (_archives, signal) => {
      if (registry === undefined)
        throw new Error(
          'an existing cluster pulls its images: set YAGURA_REGISTRY to a registry that you may push to and it may pull from',
        );
      const built = await buildImages({ push: registry, signal });
      return built.filter((image) => image.outcome !== 'unchanged').map((image) => image.name);
    },
  };
}

/** Takes the product off the cluster, which stays. */
export async function existingDown(signal: AbortSignal): Promise<string> {
  if ((await tryKubectl(['get', 'namespace', 'yagura'], signal)) === undefined) return 'there was nothing';
  await kubectl(
    ['delete', '-f', new URL('demo.yaml', import.meta.url).pathname, '--ignore-not-found', '--timeout=120s'],
    undefined,
    signal,
  );
  await helm(['uninstall', 'yagura', '--namespace', 'yagura', '--wait'], signal);
  return 'chart uninstalled';
}
