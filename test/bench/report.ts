import { cpus, release, totalmem } from 'node:os';
import type { ProcessMemory } from './memory.ts';
import { type RequestCounts, total } from './requests.ts';
import { type Spread, seconds } from './samples.ts';

/** Everything that was measured in one run. */
export interface Results {
  date: string;
  kubernetes: string;
  pod: Spread;
  bareCreated: Spread;
  bareAnswered: Spread;
  scheduled: Spread;
  running: Spread;
  agent: Spread;
  deleted: Spread;
  updates: Spread;
  writes: RequestCounts;
  podWrites: RequestCounts;
  memory: ProcessMemory[];
  guestMebibytes: number;
  requestedBeyondGuestMebibytes: number;
  controlPlane: { name: string; rss: number }[];
}

const isEvent = (key: string): boolean => key.endsWith(' events');
const notEvent = (key: string): boolean => !isEvent(key);
const onVmi = (key: string): boolean => /^(PUT|PATCH|APPLY) virtualmachineinstances$/.test(key);

/** The page of results. Compare what stands side by side: the machine differs from run to run, the ratio less. */
export function renderResults(results: Results): string {
  const floor = results.pod.median + results.bareAnswered.median;
  const over = (results.agent.median - floor) / 1000;
  const qemu = results.memory.filter(({ name }) => name.startsWith('qemu'));
  const rest = results.memory.filter(({ name }) => !name.startsWith('qemu'));
  const sum = (list: ProcessMemory[], key: 'pss' | 'rss') => list.reduce((all, each) => all + each[key], 0).toFixed(1);
  const figure = (counts: RequestCounts, wanted: (key: string) => boolean) => total(counts, wanted).toFixed(1);
  return `# Benchmark

Measured ${results.date} by \`npm run bench\` on ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()},
Kubernetes ${results.kubernetes}, software emulation (TCG): boot times and QEMU's memory are TCG's. Guest: Debian's cloud kernel with
busybox and qemu-guest-agent by kernelBoot, 1 vCPU, ${results.guestMebibytes} MiB, masquerade, grace period 0. Times are arrivals of watch events:
minimum / median / maximum of ${results.agent.count} runs, in seconds.

| what | budget | measured |
|---|---|---|
| floor: bare Pod of the same image, POST → Ready | | ${seconds(results.pod)} |
| floor: bare \`virsh create\` returns | | ${seconds(results.bareCreated)} |
| floor: bare \`virsh create\` → first guest-ping | | ${seconds(results.bareAnswered)} |
| VMI created → Scheduled | | ${seconds(results.scheduled)} |
| VMI created → Running | floor of Pod + 0.5 + 0.7 = ${(results.pod.median / 1000 + 1.2).toFixed(2)} | ${seconds(results.running)} |
| VMI created → AgentConnected | floor + 1.0 = ${(floor / 1000 + 1).toFixed(2)} | ${seconds(results.agent)} (floor ${over >= 0 ? '+' : '−'} ${Math.abs(over).toFixed(2)}) |
| delete at grace 0 → gone | ≤ 1.5 | ${seconds(results.deleted)} |
| writes to the VMI object, created → Running + agent (watch events) | ≤ 4 | ${results.updates.min} / ${results.updates.median} / ${results.updates.max} |
| API writes a lifecycle, all resources but Events | ≤ 18 | ${figure(results.writes, notEvent)} (bare Pod: ${figure(results.podWrites, notEvent)}) |
| – of them to the VMI (PUT and PATCH) | | ${figure(results.writes, onVmi)} |
| Events a lifecycle, the kubelet's and the scheduler's included | ours ≤ 8 | ${figure(results.writes, isEvent)} (bare Pod: ${figure(results.podWrites, isEvent)}) |
| memory requested beyond the guest's | ≤ 220 MiB (TCG) | ${results.requestedBeyondGuestMebibytes.toFixed(0)} MiB |
| launcher Pod but QEMU, PSS, alone on the node | ≤ 100 MiB | ${sum(rest, 'pss')} MiB |

## Writes a lifecycle (created → agent → deleted → gone), idle background taken off

| verb and resource | a VMI | a bare Pod |
|---|---|---|
${[...new Set([...results.writes.keys(), ...results.podWrites.keys()])]
  .sort((a, b) => (results.writes.get(b) ?? 0) - (results.writes.get(a) ?? 0))
  .map(
    (key) =>
      `| ${key} | ${(results.writes.get(key) ?? 0).toFixed(1)} | ${(results.podWrites.get(key) ?? 0).toFixed(1)} |`,
  )
  .join('\n')}

## Memory of the launcher's container, MiB

| process | PSS | RSS |
|---|---|---|
${[...rest, ...qemu].map(({ name, pss, rss }) => `| ${name} | ${pss.toFixed(1)} | ${rss.toFixed(1)} |`).join('\n')}
| **all but QEMU** | **${sum(rest, 'pss')}** | **${sum(rest, 'rss')}** |

## Resident memory of the control plane, MiB

| process | RSS |
|---|---|
${results.controlPlane.map(({ name, rss }) => `| ${name} | ${rss.toFixed(0)} |`).join('\n')}
`;
}
