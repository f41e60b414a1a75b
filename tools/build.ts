// Bundles every service and the CLI to one ESM file each, for the images and for .local/bin.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { copyClosure } from './images/closure.ts';
import { root } from './images/root.ts';

interface Bundle {
  readonly entry: string;
  readonly outfile: string;
  /** Packages that read files beside their own code: they stay packages, and travel in dist/node_modules. */
  readonly external: readonly string[];
}

const READS_PROTO_FILES = ['@grpc/grpc-js', '@grpc/reflection', 'grpc-health-check'];

const bundles: readonly Bundle[] = [
  service('virt-launcher', READS_PROTO_FILES),
  service('virt-handler'),
  service('virt-controller'),
  service('virt-api'),
  { entry: 'cli/src/main.ts', outfile: 'cli/dist/yagura.mjs', external: [] },
];

function service(name: string, external: readonly string[] = []): Bundle {
  return { entry: `services/${name}/src/main.ts`, outfile: `services/${name}/dist/main.mjs`, external };
}

/** What CommonJS dependencies expect to find, in an ES module. */
const banner = [
  "import { createRequire as yaguraCreateRequire } from 'node:module';",
  "import { dirname as yaguraDirname } from 'node:path';",
  "import { fileURLToPath as yaguraFileURLToPath } from 'node:url';",
  'const require = yaguraCreateRequire(import.meta.url);',
  'const __filename = yaguraFileURLToPath(import.meta.url);',
  'const __dirname = yaguraDirname(__filename);',
].join('\n');

/** Writes services/NAME/dist/main.mjs (with dist/node_modules where needed) and cli/dist/yagura.mjs. */
export async function buildBundles(): Promise<void> {
  await Promise.all(bundles.map((bundle) => buildBundle(bundle)));
}

async function buildBundle({ entry, outfile, external }: Bundle): Promise<void> {
  mkdirSync(join(root, dirname(outfile)), { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: 'external',
    banner: { js: outfile.startsWith('cli/') ? `#!/usr/bin/env node\n${banner}` : banner },
    external: [...external, '*.node'],
    logLevel: 'warning',
  });
  if (external.length > 0)
    copyClosure(join(root, 'libs/contracts'), external, join(root, dirname(outfile), 'node_modules'));
}

if (import.meta.main) {
  const begin = performance.now();
  await buildBundles();
  console.log(
    `${bundles.map(({ outfile }) => outfile).join('\n')}\nin ${((performance.now() - begin) / 1000).toFixed(1)} s`,
  );
}
