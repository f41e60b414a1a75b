import { get, kubectl, list, nodeExec } from '../e2e/support/cluster.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { apply, getVm, getVmi, inLauncher, type PodObject, pids, tinyVm } from '../e2e/support/machines.ts';

const NAME = 'machine';
const PATIENCE_MS = 120_000;
const SETTLING_MS = 20_000;

/** What a machine's life came to. */
export interface Life {
  stations: unknown[];
  /** The most QEMUs and live pods of the machine that were seen at once. */
  most: { qemus: number; pods: number };
}

/** All of the machine's that must be the same in every life. */
async function summary(namespace: string, what: string) {
  const [vm, vmi] = [await getVm(namespace, NAME), await getVmi(namespace, NAME)];
  const conditions = (object: typeof vm | typeof vmi) =>
    (object?.status?.conditions ?? [])
      // The guest boots meanwhile, or does not: its agent is no part of this.
      .filter(({ type }) => !type.startsWith('Agent'))
      .map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`.trim())
      .sort();
  return {
    what,
    vm: vm && {
      printable: vm.status?.printableStatus,
      ready: vm.status?.ready ?? false,
      created: vm.status?.created ?? false,
      finalizers: vm.metadata?.finalizers,
      conditions: conditions(vm),
      changes: vm.status?.stateChangeRequests ?? [],
    },
    vmi: vmi && {
      phase: vmi.status?.phase,
      pods: Object.keys(vmi.status?.activePods ?? {}).length,
      interfaces: vmi.status?.interfaces?.map(({ name }) => name),
      finalizers: vmi.metadata?.finalizers,
      conditions: conditions(vmi),
    },
    pods: (await livePods(namespace)).length,
  };
}

async function livePods(namespace: string): Promise<PodObject[]> {
  const pods = await list<PodObject>('pods', '-n', namespace);
  return pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
}

/** QEMUs of the namespace's machines on the node; the one that looks does not match itself. */
const countQemus = `grep -lsa 'guest=[N]AMESPACE_' /proc/[0-9]*/cmdline | wc -l`;

/** What is left on the node of pods, by mounts, links, processes and directories; nothing, when all is well. */
async function remains(node: string, namespace: string, podUids: readonly string[]): Promise<string> {
  const any = podUids.join('|');
  const cgroups = podUids.map((uid) => uid.replaceAll('-', '_')).join('|');
  const script = [
    `grep -E '${any}' /proc/1/mountinfo`,
    `grep -lsE '${any}|${cgroups}' /proc/[0-9]*/cgroup`,
    `ls -l /var/run/kubevirt/vmi /var/run/kubevirt/vmi/by-name/${namespace} 2>/dev/null | grep -E '${any}'`,
    `ls /var/lib/kubelet/pods | grep -E '${any}'`,
    countQemus.replace('[N]AMESPACE', bracketed(namespace)).replace(' | wc -l', ''),
  ].join('; ');
  return (await nodeExec(node, 'sh', '-c', `${script}; true`)).trim();
}

const bracketed = (text: string): string => `[${text[0]}]${text.slice(1)}`;

/**
 * What is so once nothing changes any more. Conditions follow each other at their own pace: in a life that is compared, what is
 * waited for is what the other life came to.
 */
async function settled(namespace: string, what: string, expected?: unknown): Promise<unknown> {
  let before = '';
  let lasted = 0;
  let seen: unknown;
  const isOver = async () => {
    seen = await summary(namespace, what);
    const now = JSON.stringify(seen);
    if (expected !== undefined) return now === JSON.stringify(expected);
    lasted = now === before ? lasted + 1 : 0;
    before = now;
    return lasted >= 5;
  };
  await eventually(`${what}: settled`, SETTLING_MS, isOver).catch(() => {});
  return seen;
}

/** A machine that starts, whose QEMU dies, that starts again, is stopped and deleted; on one node, its guest never waited for. */
export async function live(namespace: string, node: string, expected?: Life): Promise<Life> {
  const stations: unknown[] = [];
  const arrive = async (what: string) => {
    stations.push(await settled(namespace, what, expected?.stations[stations.length]));
  };
  const podUids = new Set<string>();
  const most = { qemus: 0, pods: 0 };
  let isOver = false;
  const watching = (async () => {
    const count = countQemus.replace('[N]AMESPACE', bracketed(namespace));
    while (!isOver) {
      const looked = await Promise.all([nodeExec(node, 'sh', '-c', count), livePods(namespace)]).catch(() => undefined);
      if (looked !== undefined) {
        const [qemus, pods] = looked;
        most.qemus = Math.max(most.qemus, Number(qemus));
        most.pods = Math.max(most.pods, pods.length);
        for (const { metadata } of pods) podUids.add(metadata.uid);
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  const running = (butNot?: string) =>
    eventually(`${namespace}/${NAME} runs`, PATIENCE_MS, async () => {
      const [vm, vmi, pods] = [await getVm(namespace, NAME), await getVmi(namespace, NAME), await livePods(namespace)];
      const ready = vmi?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      const isUp = ready && vmi?.status?.phase === 'Running' && vmi.metadata?.uid !== butNot && vmi.status.interfaces;
      if (isUp && vm?.status?.printableStatus === 'Running' && vm.status.ready && pods.length === 1) {
        return { uid: vmi.metadata?.uid, pod: pods[0] as PodObject };
      }
      throw new Error(`${vm?.status?.printableStatus}; ${vmi?.status?.phase}; ${pods.length} pods`);
    });
  try {
    await apply(
      tinyVm(namespace, NAME, 'Always', {
        terminationGracePeriodSeconds: 0,
        nodeSelector: { 'kubernetes.io/hostname': node },
      }),
    );
    const first = await running();
    await arrive('started');
    await inLauncher(first.pod, `kill -9 ${(await pids(first.pod, 'guest=')).join(' ')}`);
    await running(first.uid);
    await arrive('started again');
    const halt = JSON.stringify({ spec: { runStrategy: 'Halted' } });
    await kubectl('-n', namespace, 'patch', 'vm', NAME, '--type=merge', '-p', halt);
    await eventually(`${namespace}/${NAME} is stopped`, PATIENCE_MS, async () => {
      const [vm, vmi] = [await getVm(namespace, NAME), await getVmi(namespace, NAME)];
      const pods = await list('pods', '-n', namespace);
      if (vm?.status?.printableStatus === 'Stopped' && vmi === undefined && pods.length === 0) return true;
      throw new Error(`${vm?.status?.printableStatus}; ${vmi?.status?.phase}; ${pods.length} pods`);
    });
    await arrive('stopped');
    await kubectl('-n', namespace, 'delete', 'vm', NAME, '--timeout=60s');
    const left = await eventually(`nothing is left of ${namespace} on ${node}`, 30_000, async () => {
      const found = await remains(node, namespace, [...podUids]);
      if (found === '') return 'nothing';
      throw new Error(found);
    }).catch((error: unknown) => String(error));
    const revisions = await list('controllerrevisions', '-n', namespace);
    const gone = (await get('vm', NAME, namespace)) === undefined;
    stations.push({ what: 'deleted', gone, left, revisions: revisions.length });
    return { stations, most };
  } finally {
    isOver = true;
    await watching;
  }
}
