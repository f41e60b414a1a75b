// `npm run test:load [-- COUNT] [--memory MEBIBYTES] [--no-floor]`: instances created at once on the running cluster, 20 of
// them unless told otherwise, beside as many bare QEMUs. More than 10 raise cpuAllocationRatio for as long as it lasts.
import { parseArgs } from 'node:util';
import { get, kubectl, list, productNamespace } from '../e2e/support/cluster.ts';
import { type Load, measureLoad, smallestGuest } from './measure.ts';

const WRITES_BUDGET = 4;
const SIZES = [64, 80, 96, 128];
const SIZES_MS = 180_000;
/** Guests share two cores: some seconds of TCG each. */
const PER_GUEST_MS = 30_000;
/** So many fit the local nodes beside Yagura at 100m a virtual CPU. */
const ROOM = 10;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { memory: { type: 'string' }, 'no-floor': { type: 'boolean', default: false } },
});
const count = Number(positionals[0] ?? 20);
if (!Number.isInteger(count) || count < 1) throw new Error(`${positionals[0]} is not a number of instances`);

interface KubeVirtObject {
  metadata: { name: string; namespace: string };
  spec?: { configuration?: { developerConfiguration?: { cpuAllocationRatio?: number } } };
}

/** Runs something while the virtual CPUs request next to nothing. */
async function withRoom<T>(body: () => Promise<T>): Promise<T> {
  if (count <= ROOM) return body();
  const [kubevirt] = await list<KubeVirtObject>('kubevirts', '-n', productNamespace);
  if (kubevirt === undefined) throw new Error(`there is no KubeVirt object in ${productNamespace}`);
  const { name } = kubevirt.metadata;
  const set = (cpuAllocationRatio: number | null) =>
    kubectl(
      '-n',
      productNamespace,
      'patch',
      'kubevirt',
      name,
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { configuration: { developerConfiguration: { cpuAllocationRatio } } } }),
    );
  const before = (await get<KubeVirtObject>('kubevirts', name, productNamespace))?.spec?.configuration;
  await set(100);
  try {
    return await body();
  } finally {
    await set(before?.developerConfiguration?.cpuAllocationRatio ?? null);
  }
}

const percentile = (times: readonly number[], share: number): string => {
  const sorted = [...times].sort((a, b) => a - b);
  const time = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  return time === undefined ? '-' : (time / 1000).toFixed(1);
};

const row = (what: string, times: readonly number[]): string =>
  `| ${what} | ${times.length} of ${count} | ${percentile(times, 0.5)} | ${percentile(times, 0.95)} | ${percentile(times, 1)} |`;

function report(load: Load): string {
  return `
${load.count} instances at once, guests of ${load.memoryMebibytes} MiB

| seconds | reached | p50 | p95 | last |
|---|---|---|---|---|
${row('created → Running', load.running)}
${row('created → AgentConnected', load.agent)}
${load.floor.length === 0 ? '' : `${row('bare QEMUs, at once → first guest-ping', load.floor)}\n`}
Writes to an instance until it ran and had its agent (${load.writesFrom}): at most ${Math.max(...load.writes)}, budget ${WRITES_BUDGET}; ${load.writes.join(' ')}
Doubles: ${load.doubles.join('; ') || 'none'}
Warnings: ${load.warnings.join('\n  ') || 'none'}`;
}

const memory = values.memory === undefined ? await smallestGuest(SIZES, SIZES_MS) : Number(values.memory);
console.log(`smallest guest that reaches its agent${values.memory === undefined ? '' : ' (given)'}: ${memory} MiB`);
const options = { withinMs: 60_000 + count * PER_GUEST_MS, withFloor: !values['no-floor'] };
const load = await withRoom(() => measureLoad(count, memory, options));
console.log(report(load));
const faults = [
  ...(load.agent.length < count ? [`${count - load.agent.length} instances did not reach their agent`] : []),
  ...(load.running.length < count ? [`${count - load.running.length} instances did not run`] : []),
  ...load.doubles,
  ...load.warnings,
  ...(Math.max(...load.writes) > WRITES_BUDGET ? [`more than ${WRITES_BUDGET} writes to an instance`] : []),
];
for (const fault of faults) console.log(`✗ ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
