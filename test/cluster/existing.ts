import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { buildImages } from '../../tools/images.ts';
import { removeDemo } from './demo.ts';
import { exec } from './exec.ts';
import { readText, writeIfChanged } from './files.ts';
import { namespace } from './install.ts';
import { helm, kubectl } from './kubectl.ts';
import { furnishingStep } from './offers.ts';
import type { Options } from './options.ts';
import { dotLocal, kubeconfigPath } from './paths.ts';
import type { Provider } from './provider.ts';
import { ensureKubectl, laterToolSteps } from './tools.ts';

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

/** What was pushed where, by image id. */
const pushedPath = join(dotLocal, 'pushed-images.json');

/** Pushes all that a registry may lack; answers the names of those that it did not get from here before. */
async function push(archives: readonly string[], registry: string, signal: AbortSignal): Promise<string[]> {
  const pushed = JSON.parse((await readText(pushedPath)) ?? '{}') as Record<string, string>;
  const only = archives.map((archive) => basename(archive, '.tar'));
  const images = await buildImages({ only, push: registry, signal });
  const fresh = images.filter(({ name, digest }) => pushed[`${registry}/${name}`] !== digest);
  const now = Object.fromEntries(images.map(({ name, digest }) => [`${registry}/${name}`, digest]));
  await writeIfChanged(pushedPath, JSON.stringify({ ...pushed, ...now }));
  return fresh.map(({ name }) => name);
}

export function existingProvider({ registry = '', emulate }: Pick<Options, 'registry' | 'emulate'>): Provider {
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
      furnishingStep,
    ],
    lastSteps: laterToolSteps,
    chartValues: [`image.registry=${registry}`],
    emulate: emulate ? true : undefined,
    // Its nodes would keep what they once pulled under the tag.
    pullPolicy: 'Always',
    image: (name) => `${registry}/yagura/${name}:dev`,
    loadImages: (archives, signal) => push(archives, registry, signal),
  };
}

/** Takes the product off the cluster, which stays. */
export async function existingDown(signal: AbortSignal): Promise<string> {
  const releases = await helm(['list', '--namespace', namespace, '--short'], signal);
  if (!releases.split('\n').includes('yagura')) return 'there was nothing';
  await removeDemo(signal);
  await helm(['uninstall', 'yagura', '--namespace', namespace, '--wait'], signal);
  return 'chart uninstalled';
}
