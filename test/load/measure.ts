import type { VirtualMachineInstance } from '@yagura/api';
import { KubeClient, type KubeObject } from '@yagura/kube';
import { Vmis, vmiMilestones } from '../bench/lifecycle.ts';
import { kubectl, list, local, nodeExec } from '../e2e/support/cluster.ts';
import { disklessVmi, type EventObject, freshNamespace, launcherPod, type PodObject } from '../e2e/support/machines.ts';
import { auditLog, vmiWrites } from './audit.ts';
import { bareStarts } from './floor.ts';

/** What a number of instances created at once came to. */
export interface Load {
  count: number;
  memoryMebibytes: number;
  /** Milliseconds from the first creation, one for each instance that got there. */
  running: number[];
  agent: number[];
  /** Writes of each instance's object from its creation until it ran and had its agent; by the audit log, else by the watch. */
  writes: number[];
  writesFrom: 'audit log' | 'watch';
  /** Instances that do not have exactly one pod, and QEMUs beyond one an instance. */
  doubles: string[];
  /** Events of type Warning, as `reason (times): one message`. */
  warnings: string[];
  /** Milliseconds until each bare QEMU's agent answered; none when no floor was wanted. */
  floor: number[];
}

type Vmi = VirtualMachineInstance & KubeObject;

process.env['KUBECONFIG'] ??= local('kubeconfig');

interface Follower {
  /** When each instance got to a milestone first, by `name milestone`. */
  reached: Map<string, number>;
  updates: Map<string, number>;
}

/** Creates instances all at once and follows them by one watch until all have their agent or the time is over. */
async function follow(
  client: KubeClient,
  namespace: string,
  vmis: readonly Vmi[],
  withinMs: number,
): Promise<Follower & { start: number }> {
  const { metadata } = await client.list(Vmis, { namespace });
  const signal = AbortSignal.timeout(withinMs);
  const { resourceVersion } = metadata;
  const options = { namespace, timeoutMs: withinMs, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  const events = client.watch(Vmis, options, signal);
  const start = Date.now();
  const created = Promise.all(vmis.map((vmi) => client.create(Vmis, vmi)));
  const reached = new Map<string, number>();
  const updates = new Map<string, number>();
  const isThere = (name: string) => reached.has(`${name} running`) && reached.has(`${name} agent`);
  try {
    for await (const { type, object } of events) {
      const name = object.metadata?.name ?? '';
      if (type === 'MODIFIED' && !isThere(name)) updates.set(name, (updates.get(name) ?? 0) + 1);
      for (const [milestone, isReached] of Object.entries(vmiMilestones)) {
        const key = `${name} ${milestone}`;
        if (!reached.has(key) && isReached(object)) reached.set(key, Date.now());
      }
      if (vmis.every(({ metadata: { name: each = '' } = {} }) => isThere(each))) break;
    }
  } catch (error) {
    // Whoever is not there by now is told by the figures.
    if (!signal.aborted) throw error;
  }
  await created;
  return { reached, updates, start };
}

/** The smallest of some sizes at which the guest reaches its agent, tried all at once. */
export async function smallestGuest(sizes: readonly number[], withinMs: number): Promise<number> {
  const namespace = await freshNamespace('load-sizes');
  const client = await KubeClient.load();
  const vmis = sizes.map((size) => disklessVmi(namespace, `size-${size}`, size));
  const { reached } = await follow(client, namespace, vmis, withinMs);
  await kubectl('delete', 'namespace', namespace, '--wait=true', '--timeout=120s');
  const [smallest] = sizes.filter((size) => reached.has(`size-${size} agent`)).sort((a, b) => a - b);
  if (smallest === undefined) {
    const seen = [...reached.keys()].join(', ') || 'nothing';
    throw new Error(
      `the guest reaches its agent with none of ${sizes.join(', ')} MiB in ${withinMs} ms; ${seen} was reached`,
    );
  }
  return smallest;
}

/** Creates `count` instances at once, waits until all have their agent, looks, and takes them away. */
export async function measureLoad(
  count: number,
  memoryMebibytes: number,
  options: { withinMs: number; withFloor: boolean },
): Promise<Load> {
  const namespace = await freshNamespace('load');
  const client = await KubeClient.load();
  const names = Array.from({ length: count }, (_, index) => `vmi-${index}`);
  const vmis = names.map((name) => disklessVmi(namespace, name, memoryMebibytes));
  const { reached, updates, start } = await follow(client, namespace, vmis, options.withinMs);
  const at = (milestone: string) =>
    names.flatMap((name) => {
      const when = reached.get(`${name} ${milestone}`);
      return when === undefined ? [] : [when - start];
    });
  const log = await auditLog();
  const written = log === undefined ? undefined : vmiWrites(log, namespace).filter((write) => write.at >= start);
  const writesOf = (name: string): number => {
    const until = Math.max(reached.get(`${name} running`) ?? Infinity, reached.get(`${name} agent`) ?? Infinity);
    return written?.filter((write) => write.name === name && write.at <= until).length ?? updates.get(name) ?? 0;
  };
  const doubles = await doublesOf(namespace, names);
  const warnings = warningsOf(await list<EventObject & { count?: number }>('events', '-n', namespace));
  let floor: number[] = [];
  if (options.withFloor) floor = await floorOf(client, namespace, names, count, options.withinMs);
  await kubectl('delete', 'namespace', namespace, '--wait=true', '--timeout=300s');
  return {
    count,
    memoryMebibytes,
    running: at('running'),
    agent: at('agent'),
    writes: names.map(writesOf),
    writesFrom: written === undefined ? 'watch' : 'audit log',
    doubles,
    warnings,
    floor,
  };
}

async function doublesOf(namespace: string, names: readonly string[]): Promise<string[]> {
  const pods = await list<PodObject & { metadata: { labels?: Record<string, string> } }>('pods', '-n', namespace);
  const vmis = await list<Vmi>('vmi', '-n', namespace);
  const byUid = new Map(vmis.map(({ metadata }) => [metadata?.uid ?? '', metadata?.name ?? '']));
  const podsOf = (name: string) =>
    pods.filter(({ metadata }) => byUid.get(metadata.labels?.['kubevirt.io/created-by'] ?? '') === name).length;
  const wrong = names.filter((name) => podsOf(name) !== 1).map((name) => `${name}: ${podsOf(name)} pods`);
  const nodes = [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
  const pattern = `guest=[${namespace[0]}]${namespace.slice(1)}_`;
  const script = `grep -lsa '${pattern}' /proc/[0-9]*/cmdline | wc -l`;
  const qemus = await Promise.all(nodes.map(async (node) => Number(await nodeExec(node, 'sh', '-c', script))));
  const sum = qemus.reduce((all, each) => all + each, 0);
  return sum === names.length ? wrong : [...wrong, `${sum} QEMUs for ${names.length} instances`];
}

function warningsOf(events: readonly (EventObject & { count?: number })[]): string[] {
  const byReason = new Map<string, { times: number; message: string }>();
  for (const { type, reason, message, count = 1 } of events) {
    if (type === 'Warning') byReason.set(reason, { times: (byReason.get(reason)?.times ?? 0) + count, message });
  }
  return [...byReason].map(([reason, { times, message }]) => `${reason} (${times}): ${message}`);
}

/** The same number of the same guests, by libvirt alone, after the instances have made room for them. */
async function floorOf(
  client: KubeClient,
  namespace: string,
  names: readonly string[],
  count: number,
  withinMs: number,
): Promise<number[]> {
  const [model = '', ...others] = names;
  await Promise.all(others.map((name) => client.delete(Vmis, { namespace, name })));
  const vmi = await client.get(Vmis, { namespace, name: model });
  const from = await launcherPod(vmi);
  const launcher = JSON.parse(await kubectl('-n', namespace, 'get', 'pod', from.metadata.name, '-o', 'json')) as {
    spec: { containers: { name: string; image: string }[] };
  };
  const image = launcher.spec.containers.find(({ name }) => name === 'compute')?.image ?? '';
  await kubectl('-n', namespace, 'wait', 'vmi', ...others, '--for=delete', '--timeout=180s').catch(() => '');
  const nodes = (await list<{ metadata: { name: string } }>('nodes')).map(({ metadata }) => metadata.name);
  return bareStarts(from, image, nodes, count, withinMs);
}
