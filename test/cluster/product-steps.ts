import { dirname, join } from 'node:path';
import { type BuiltImage, buildImages } from '../../tools/images.ts';
import { startDemo } from './demo.ts';
import { installChart, workloads } from './install.ts';
import { checkout } from './paths.ts';
import type { Provider } from './provider.ts';
import type { Step } from './steps.ts';
import { ensureTool, helmTool, writeLauncher } from './tools.ts';

/** Everything after there is a cluster; the same for every provider. */
export function productSteps(provider: Provider): Step[] {
  let images: readonly BuiltImage[] = [];
  const loaded = new Set<string>();
  return [
    { name: 'helm', lane: 'build', run: ({ signal }) => ensureTool(helmTool, signal) },
    {
      name: 'images',
      run: async ({ note, signal }) => {
        images = await buildImages({
          only: [...Object.keys(workloads), 'virt-launcher', 'guest-tiny'],
          note,
          signal,
        });
        const changed = images.filter((image) => image.outcome !== 'unchanged');
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
        const archives = images.map(({ archive }) => archive);
        for (const name of await provider.loadImages(archives, signal)) loaded.add(name);
        return loaded.size === 0 ? 'already there' : [...loaded].join(', ');
      },
    },
    {
      name: 'chart',
      after: ['load images', 'helm'],
      run: (context) => {
        const built = images.map(({ name, digest }) => ({ name, digest, isNew: loaded.has(name) }));
        return installChart(provider, built, context);
      },
    },
    { name: 'demo VM', after: ['chart', 'yagura command'], run: (context) => startDemo(provider, context) },
  ];
}
