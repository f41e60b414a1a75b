// npm run images [-- --push REGISTRY] [--tag TAG] [--only NAME,NAME]
import { parseArgs } from 'node:util';
import { buildImages } from './images/build-images.ts';

export { type BuildImagesOptions, type BuiltImage, buildImages } from './images/build-images.ts';

const USAGE = `usage: npm run images -- [--push REGISTRY] [--tag TAG] [--only NAME,NAME]
  --push  also push to REGISTRY/yagura/NAME:TAG (log in to the registry first)
  --tag   dev unless given
  --only  some of the images`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { push: { type: 'string' }, tag: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  await buildImages({
    ...(values.push === undefined ? {} : { push: values.push }),
    ...(values.tag === undefined ? {} : { tag: values.tag }),
    ...(values.only === undefined ? {} : { only: values.only.split(',') }),
    note: (text) => console.log(text),
  });
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
