// `npm run gen`: everything that is generated and committed. `npm run gen -- --check` fails when it is not current.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { bin, exec, root } from './exec.ts';

/** Each generator by its command, in the order in which they build on each other. */
const generators: [string, string[], string][] = [
  [process.execPath, ['tools/gen/crds.ts'], '.'],
  [process.execPath, ['tools/gen/vmi-proto.ts'], '.'],
  [bin('buf'), ['generate'], 'proto'],
];

const outputs = [
  'charts/yagura/crds',
  'proto/yagura/launcher/v1/vmi.proto',
  'libs/api/vmi-proto.lock.json',
  'libs/api/src/gen',
  'libs/contracts/src/gen',
];

/** The generated files as they are now, in one text that two states can be compared by. */
function fingerprint(): string {
  const hashes = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...outputs], {
    cwd: root,
    encoding: 'utf8',
  });
  return execFileSync('git', ['hash-object', '--stdin-paths'], { cwd: root, encoding: 'utf8', input: hashes });
}

const before = fingerprint();
for (const [command, args, cwd] of generators) {
  const code = await exec(command, args, { cwd: join(root, cwd) });
  if (code !== 0) process.exit(code);
}
if (process.argv.includes('--check') && fingerprint() !== before) {
  console.error('generated files were not current: run `npm run gen` and commit what changed');
  process.exit(1);
}
