import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePackages, packages } from '../../test/cluster/packages.ts';
import { exec, root } from '../exec.ts';
import { add, type Counts, fromJest } from './counts.ts';

/** A part of the tests with its share of the time: one that takes longer has failed. */
export interface Suite {
  name: string;
  shareMinutes: number;
  run(): Promise<Counts>;
}

/** A program that passes or fails as a whole. */
async function one(command: string, args: string[]): Promise<Counts> {
  const ok = (await exec(command, args)) === 0;
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

async function jest(project: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Counts> {
  const directory = join(root, '.local/test');
  const report = join(directory, `${project}.json`);
  mkdirSync(directory, { recursive: true });
  rmSync(report, { force: true });
  const code = await exec(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules/jest/bin/jest.js'),
      `--selectProjects=${project}`,
      '--json',
      '--testTimeout=60000',
      '--watchman=false',
      `--outputFile=${report}`,
      ...args,
    ],
    { env },
  );
  const counts = fromJest(readFileSync(report, 'utf8'));
  // Jest may fail for more than its tests, e.g. when there are none.
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

const node = (script: string, ...args: string[]) => one(process.execPath, [script, ...args]);

/** The guest that only tests need: built here, off the path of `up`, and loaded into the nodes. */
async function guests(): Promise<Counts> {
  const built = await node('tools/images.ts', '--only', 'guest-debian');
  return built.failed > 0 ? built : node('test/cluster/load.ts');
}

/** Every `every`th point at which a component may die. */
const crashes = (every: number) => jest('crash', ['--runInBand'], { CRASH_EVERY: String(every) });

/** Debian packages that the tests need: installed where that is allowed, else named. */
async function installPackages(): Promise<Counts> {
  const remark = await ensurePackages(packages.tests, (text) => console.log(text), AbortSignal.timeout(10 * 60_000));
  console.log(remark);
  return { passed: 1, failed: 0, skipped: 0 };
}

export const suites: Suite[] = [
  { name: 'packages', shareMinutes: 2, run: installPackages },
  { name: 'check', shareMinutes: 3, run: () => node('tools/check.ts') },
  { name: 'unit', shareMinutes: 3, run: () => jest('unit') },
  { name: 'native build', shareMinutes: 1, run: () => node('tools/build-native.ts') },
  { name: 'native', shareMinutes: 8, run: () => jest('native', ['--runInBand']) },
  { name: 'up', shareMinutes: 16, run: () => node('test/cluster/up.ts') },
  { name: 'guests', shareMinutes: 5, run: () => guests() },
  { name: 'integration', shareMinutes: 2, run: () => jest('integration', ['--runInBand']) },
  { name: 'e2e', shareMinutes: 35, run: () => jest('e2e', ['--runInBand']) },
];

/** Run only when they are named. */
export const onDemand: Suite[] = [
  // All points, of which `native` takes a few of the launcher; virt-controller and virt-handler are patched meanwhile.
  {
    name: 'crash',
    shareMinutes: 120,
    run: async () =>
      add(
        await jest('native', ['--runInBand', '--testPathPatterns=crash.real'], { CRASH_EVERY: '1' }),
        await crashes(1),
      ),
  },
  // Replaces the product of the cluster for a while.
  { name: 'upgrade', shareMinutes: 12, run: () => jest('upgrade', ['--runInBand']) },
  // The whole fault matrix; FAULTS='agent|QEMU' takes a part.
  { name: 'faults', shareMinutes: 45, run: () => jest('faults', ['--runInBand']) },
  // All of the manifests, of which `e2e` takes half.
  {
    name: 'examples',
    shareMinutes: 10,
    run: () =>
      jest('e2e', ['--runInBand', '--testPathPatterns=test/e2e/examples'], {
        EXAMPLES: process.env['EXAMPLES'] ?? 'all',
      }),
  },
];
