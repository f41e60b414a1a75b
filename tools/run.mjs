// Runs one of the project's TypeScript programs on the project's own Node, from a bare clone.
// Needs nothing but any Node with npm: the pinned Node and pnpm come from the npm registry into .local/toolchain.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE = '24.22.3';
const PNPM = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager.split('@')[1];
const platformPackage = `node-${process.platform}-${process.arch}`;
const toolchain = join(root, '.local/toolchain');
const node = join(toolchain, 'node_modules', platformPackage, 'bin/node');
const pnpm = join(toolchain, 'node_modules/pnpm/bin/pnpm.mjs');
const env = { ...process.env, PATH: `${dirname(node)}:${join(root, '.local/bin')}:${process.env.PATH}` };

function run(command, args, what) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(`${what} failed${error ? `: ${error.message}` : ` with exit code ${status}`}`);
    process.exit(1);
  }
}

/** The contents that `node_modules` depends on: the lock file and every workspace manifest. */
function manifestHash() {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'cli/package.json', 'test/package.json'];
  for (const dir of ['libs', 'services']) {
    for (const name of readdirSync(join(root, dir))) files.push(`${dir}/${name}/package.json`);
  }
  const hash = createHash('sha256').update(`${NODE} ${PNPM}`);
  for (const file of files) if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

const toolchainStamp = join(toolchain, 'stamp');
if (!existsSync(toolchainStamp) || readFileSync(toolchainStamp, 'utf8') !== `${NODE} ${PNPM}`) {
  console.error(`toolchain: node ${NODE}, pnpm ${PNPM} (from npm)`);
  rmSync(toolchain, { recursive: true, force: true });
  mkdirSync(toolchain, { recursive: true });
  writeFileSync(join(toolchain, 'package.json'), '{ "private": true }\n');
  const packages = [`${platformPackage}@${NODE}`, `pnpm@${PNPM}`];
  run(
    'npm',
    ['install', '--prefix', toolchain, '--no-audit', '--no-fund', '--loglevel=error', ...packages],
    'npm install of the toolchain',
  );
  writeFileSync(toolchainStamp, `${NODE} ${PNPM}`);
}

const installStamp = join(root, 'node_modules/.stamp');
const wanted = manifestHash();
const [script, ...args] = process.argv.slice(2);
// `run.mjs pnpm …` is how the lock file itself is changed.
if (script !== 'pnpm' && (!existsSync(installStamp) || readFileSync(installStamp, 'utf8') !== wanted)) {
  console.error('dependencies: pnpm install --frozen-lockfile');
  run(node, [pnpm, 'install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=warn'], 'pnpm install');
  writeFileSync(installStamp, wanted);
}

if (script === undefined) process.exit(0);
if (script === 'pnpm') args.unshift(pnpm);
else args.unshift(join(root, script));
const child = spawn(node, args, { cwd: root, env, stdio: 'inherit' });
// The child gets the terminal's Ctrl-C itself; this process only waits for how it ends.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
