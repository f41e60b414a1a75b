// `npm run check`: everything that can be said about the code without running it. All checks run; each failure is named.
import { join } from 'node:path';
import { bin, exec, root } from './exec.ts';

const checks: [string, string, string[], string?][] = [
  ['generated code is current', process.execPath, ['tools/gen.ts', '--check']],
  ['protobuf lint', bin('buf'), ['lint'], 'proto'],
  ['types', bin('tsc'), ['-b']],
  ['format', bin('biome'), ['check', '.']],
  ['lint', bin('eslint'), ['.', '--max-warnings=0']],
  [
    'import boundaries',
    bin('depcruise'),
    ['--config', '.dependency-cruiser.cjs', 'libs', 'services', 'cli', 'tools', 'test'],
  ],
  ['dead code', bin('knip'), []],
];

const failed: string[] = [];
for (const [name, command, args, cwd] of checks) {
  const start = Date.now();
  const code = await exec(command, args, { cwd: join(root, cwd ?? '.') });
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  if (code !== 0) failed.push(name);
}
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
console.log(`${checks.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
