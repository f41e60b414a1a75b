// node tools/run.mjs test/cluster/load.ts [ARCHIVE…]: puts image archives into every node of the local cluster; all of .local/images by default.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readClusterFile } from './local/cluster-file.ts';
import { loadImagesInto } from './local/load-images.ts';
import { planNodes } from './local/plan.ts';
import { imageArchives } from './paths.ts';

const cluster = await readClusterFile();
if (cluster === undefined) throw new Error('there is no local cluster; npm run up makes one');
const given = process.argv.slice(2).map((path) => resolve(path));
const all = async (): Promise<string[]> =>
  (await readdir(imageArchives)).filter((name) => name.endsWith('.tar')).map((name) => join(imageArchives, name));
const archives = given.length > 0 ? given : await all();
await Promise.all(
  planNodes(cluster.nodes).map(async (node) => {
    const imported = await loadImagesInto(node.name, archives);
    console.log(`${node.name}: ${imported.length === 0 ? 'has them all' : imported.join(', ')}`);
  }),
);
