// Builds the libvirt addon with the machine's own compiler, unless it was built from just this before.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const native = join(root, 'libs/libvirt/native');
const output = join(native, 'build/yagura-libvirt.node');
const stamp = join(native, 'build/stamp');

function ask(command: string, ...args: string[]): string {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) {
    console.error(
      `build:native: "${[command, ...args].join(' ')}" failed; on Debian: apt-get install g++ pkg-config libvirt-dev`,
    );
    process.exit(1);
  }
  return stdout.trim();
}

const headers = process.env['YAGURA_NODE_HEADERS'] ?? join(dirname(dirname(process.execPath)), 'include/node');
if (!existsSync(join(headers, 'node_api.h'))) {
  console.error(`build:native: no node_api.h in ${headers}; name its folder in YAGURA_NODE_HEADERS`);
  process.exit(1);
}
const require = createRequire(join(root, 'libs/libvirt/package.json'));
const addonApi = dirname(require.resolve('node-addon-api/package.json'));

const hash = createHash('sha256');
for (const part of [ask('pkg-config', '--modversion', 'libvirt'), ask('g++', '-dumpfullversion'), process.version]) {
  hash.update(`${part}\n`);
}
hash.update(readFileSync(join(addonApi, 'package.json')));
for (const name of readdirSync(native).sort()) {
  if (/\.(cc|h|sh)$/.test(name)) hash.update(name).update(readFileSync(join(native, name)));
}
const wanted = hash.digest('hex');

if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
  console.log('build:native: up to date');
} else {
  const started = Date.now();
  mkdirSync(dirname(output), { recursive: true });
  const { status } = spawnSync(join(native, 'build.sh'), [output, headers, addonApi], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  writeFileSync(stamp, wanted);
  console.log(`build:native: built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}
