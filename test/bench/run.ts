// `npm run bench [-- --runs N]`: the budgets, measured on the running cluster; writes RESULTS.md beside this file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { VirtualMachineInstance } from '@yagura/api';
import { KubeClient, type KubeObject } from '@yagura/kube';
import { kubectl, list, local, nodeExec, productNamespace } from '../e2e/support/cluster.ts';
import { disklessVmi, freshNamespace, launcherPod, type PodObject, untilAgent } from '../e2e/support/machines.ts';
import { type BareStart, barePod, bareStart, equip, startBarePod } from './floor.ts';
import { type Lifecycle, measureLifecycle, Pods, podMilestones, Vmis, vmiMilestones } from './lifecycle.ts';
import { podMemory } from './memory.ts';
import { renderResults } from './report.ts';
import { perItem, requestTotals, writesBetween } from './requests.ts';
import { spread } from './samples.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs ${values.runs} is not a number of runs`);

process.env['KUBECONFIG'] ??= local('kubeconfig');
const namespace = 'bench';
const guestMebibytes = 128;
const IDLE_MS = 20_000;
const client = await KubeClient.load();
const say = (text: string): void => console.log(text);

interface LauncherSpec {
  spec: { containers: { name: string; image: string; resources: { requests: Record<string, string> } }[] };
}

const vmi = (name: string) => disklessVmi(namespace, name, guestMebibytes) as VirtualMachineInstance & KubeObject;

await freshNamespace(namespace);

say('warming up: one instance, its memory, and the bare floor in a pod of the same image');
await client.create(Vmis, vmi('warm'));
const warm = await untilAgent(namespace, 'warm');
const warmPod = await launcherPod(warm);
const launcher = JSON.parse(
  await kubectl('-n', namespace, 'get', 'pod', warmPod.metadata.name, '-o', 'json'),
) as LauncherSpec;
const compute = launcher.spec.containers.find(({ name }) => name === 'compute');
if (compute === undefined) throw new Error('the launcher pod has no compute container');
const requests = Object.fromEntries(Object.entries(compute.resources.requests).filter(([key]) => !key.includes('/')));
await client.create(Pods, barePod(namespace, 'bare', compute.image, requests));
const bare = await startBarePod(barePod(namespace, 'bare', compute.image, requests));
await equip(warmPod, bare);
await kubectl('-n', namespace, 'delete', 'vmi', 'warm', '--timeout=60s');
const bareStarts: BareStart[] = [];
for (let i = 0; i < runs; i += 1) bareStarts.push(await bareStart(bare));
await kubectl('-n', namespace, 'delete', 'pod', 'bare', '--timeout=60s');

say(`idle cluster for ${IDLE_MS / 1000} s`);
const idleBefore = await requestTotals(client);
await delay(IDLE_MS);
const idle = writesBetween(idleBefore, await requestTotals(client));

async function series<T extends Lifecycle>(what: string, one: (index: number) => Promise<T>) {
  const before = await requestTotals(client);
  const start = Date.now();
  const lifecycles: T[] = [];
  for (let i = 0; i < runs; i += 1) {
    lifecycles.push(await one(i));
    say(`${what} ${i + 1} of ${runs}: ${JSON.stringify(lifecycles.at(-1)?.reached)}`);
  }
  // Pods of deleted instances may still be ending; their writes belong to them.
  await kubectl('-n', namespace, 'wait', 'pod', '--all', '--for=delete', '--timeout=60s').catch(() => '');
  const writes = writesBetween(before, await requestTotals(client));
  return { lifecycles, writes: perItem(writes, idle, (Date.now() - start) / IDLE_MS, runs) };
}

const pods = await series('bare pod', (index) =>
  measureLifecycle(client, Pods, barePod(namespace, `pod-${index}`, compute.image, requests), podMilestones),
);
const machines = await series('instance', (index) =>
  measureLifecycle(client, Vmis, vmi(`vmi-${index}`), vmiMilestones),
);

say('memory of an instance 30 s after its agent, and of the control plane');
await client.create(Vmis, vmi('memory'));
const settled = await launcherPod(await untilAgent(namespace, 'memory'));
await delay(30_000);
const memory = await podMemory(settled);
await kubectl('-n', namespace, 'delete', 'vmi', 'memory', '--timeout=60s');

const controlPlane: { name: string; rss: number }[] = [];
for (const pod of await list<PodObject>('pods', '-n', productNamespace)) {
  const script = `for f in /proc/[0-9]*; do grep -q ${pod.metadata.uid.replaceAll('-', '.')} $f/cgroup 2>/dev/null && tr '\\0' ' ' < $f/cmdline | grep -q main.mjs && grep VmRSS $f/status; done; true`;
  const rss = /VmRSS:\s+(\d+)/.exec(await nodeExec(pod.spec.nodeName ?? '', 'sh', '-c', script))?.[1];
  if (rss !== undefined) controlPlane.push({ name: pod.metadata.name, rss: Number(rss) / 1024 });
}
await kubectl('delete', 'namespace', namespace, '--wait=false');

const requested = launcher.spec.containers.reduce(
  (sum, { resources }) => sum + mebibytes(resources.requests['memory'] ?? '0'),
  0,
);
const version = await client.request<{ gitVersion: string }>({ path: '/version' });
const reached = (key: string) => spread(machines.lifecycles.map((each) => each.reached[key] as number));
const results = renderResults({
  date: new Date().toISOString().slice(0, 10),
  kubernetes: version.gitVersion,
  pod: spread(pods.lifecycles.map((each) => each.reached['ready'] as number)),
  bareCreated: spread(bareStarts.map(({ created }) => created)),
  bareAnswered: spread(bareStarts.map(({ answered }) => answered)),
  scheduled: reached('scheduled'),
  running: reached('running'),
  agent: reached('agent'),
  deleted: spread(machines.lifecycles.map(({ deleted }) => deleted)),
  updates: spread(machines.lifecycles.map(({ updates }) => updates)),
  writes: machines.writes,
  podWrites: pods.writes,
  memory,
  guestMebibytes,
  requestedBeyondGuestMebibytes: requested - guestMebibytes,
  controlPlane,
});
writeFileSync(join(import.meta.dirname, 'RESULTS.md'), results);
say(results);

function mebibytes(quantity: string): number {
  const [, number = '0', unit = ''] = /^(\d+)(Ki|Mi|Gi|k|M|G)?$/.exec(quantity) ?? [];
  const factor = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, k: 1e3, M: 1e6, G: 1e9 }[unit] ?? 1;
  return (Number(number) * factor) / 2 ** 20;
}
