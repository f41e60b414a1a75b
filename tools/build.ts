// Bundles every service and the CLI as ES modules, for the images and for .local/bin.
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { root } from './exec.ts';
import { copyClosure } from './images/closure.ts';
import { isCurrent, writeStamp } from './images/stamp.ts';

interface Bundle {
  readonly entry: string;
  readonly outfile: string;
  /** Packages that read files beside their own code: they stay packages, and travel in dist/node_modules. */
  readonly packages: readonly string[];
  readonly plugins: Plugin[];
  /** Further programs of the same image, by name. */
  readonly also?: Readonly<Record<string, string>>;
}

const READS_PROTO_FILES = ['@grpc/grpc-js', '@grpc/reflection', 'grpc-health-check'];

/**
 * Imported by those only who read a kubeconfig, which no pod does: a third of the size of a service, left out. What
 * stands in its place says so to who runs a service of an image elsewhere.
 */
const noKubeconfig: Plugin = {
  name: 'no-kubeconfig',
  setup(builder) {
    const message =
      'no service account was found, and the services in the images read no kubeconfig: run this in a pod, or from its source';
    builder.onResolve({ filter: /^@kubernetes\/client-node$/ }, ({ path }) => ({ path, namespace: 'no-kubeconfig' }));
    builder.onLoad({ filter: /.*/, namespace: 'no-kubeconfig' }, () => ({
      contents: `export let KubeConfig; throw new Error(${JSON.stringify(message)});`,
    }));
  },
};

const bundles: readonly Bundle[] = [
  service('virt-launcher', READS_PROTO_FILES),
  { ...service('virt-handler'), also: { 'yagura-node': 'services/virt-handler/src/yagura-node.ts' } },
  service('virt-controller'),
  service('virt-api'),
  { entry: 'cli/src/main.ts', outfile: 'cli/dist/yagura.mjs', packages: [], plugins: [] },
];

function service(name: string, packages: readonly string[] = []): Bundle {
  const home = `services/${name}`;
  return { entry: `${home}/src/main.ts`, outfile: `${home}/dist/main.mjs`, packages, plugins: [noKubeconfig] };
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

/**
 * Writes services/NAME/dist/main.mjs (with dist/node_modules where needed) and cli/dist/yagura.mjs. What they import
 * dynamically stands beside them in files of its own, which cost nothing until they are wanted.
 */
export async function buildBundles(): Promise<void> {
  await Promise.all(bundles.map((bundle) => buildBundle(bundle)));
}

async function buildBundle({ entry, outfile, packages, plugins, also }: Bundle): Promise<void> {
  const dist = dirname(outfile);
  const stamp = join(root, '.local/bundles', `${outfile.replaceAll('/', '_')}.json`);
  if (!isCurrent(root, stamp)) {
    const begin = Date.now();
    mkdirSync(join(root, dist), { recursive: true });
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: { [basename(outfile, '.mjs')]: entry, ...also },
      outdir: dist,
      outExtension: { '.js': '.mjs' },
      chunkNames: 'chunk-[hash]',
      splitting: true,
      bundle: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      sourcemap: 'external',
      metafile: true,
      banner: { js: banner },
      external: [...packages, '*.node'],
      plugins,
      logLevel: 'warning',
    });
    const outputs = Object.keys(metafile.outputs);
    for (const old of globSync(`${dist}/*.{mjs,map}`, { cwd: root })) {
      if (!outputs.includes(old)) rmSync(join(root, old));
    }
    writeStamp(root, stamp, Object.keys(metafile.inputs), outputs, begin);
  }
  if (packages.length > 0) copyClosure(join(root, 'libs/contracts'), packages, join(root, dist, 'node_modules'));
}

if (import.meta.main) {
  const begin = performance.now();
  await buildBundles();
  console.log(
    `${bundles.map(({ outfile }) => outfile).join('\n')}\nin ${((performance.now() - begin) / 1000).toFixed(1)} s`,
  );
}
