import { cutOff, loseNode, plugIn, reviveNode, startOnNode, stopOnNode } from '../cluster/local/faults.ts';
import { get, helm, kubectl, list, nodeExec, productNamespace, root, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  condition,
  eventsOf,
  freshNamespace,
  getVm,
  getVmi,
  type PodObject,
  tinyVm,
  untilPhase,
} from './support/machines.ts';

const ns = 'e2e-node-loss';
const TAINT = 'node.kubernetes.io/out-of-service';
/** Kubernetes takes 50 s to call a silent node lost. */
const UNTIL_LOST_MS = 120_000;

interface NodeObject {
  metadata: { name: string; labels: Record<string, string>; annotations: Record<string, string> };
}

let victim = '';
let other = '';

async function setHeartbeat(periodSeconds: number, timeoutSeconds: number): Promise<void> {
  const values = `nodeHealth.heartbeatPeriodSeconds=${periodSeconds},nodeHealth.heartbeatTimeoutSeconds=${timeoutSeconds}`;
  const args = [
    'upgrade',
    'yagura',
    `${root}/charts/yagura`,
    '-n',
    productNamespace,
    '--reuse-values',
    '--set',
    values,
  ];
  const { code, stderr } = await helm(...args);
  if (code !== 0) throw new Error(stderr);
  for (const workload of ['daemonset/virt-handler', 'deployment/virt-controller'])
    await kubectl('-n', productNamespace, 'rollout', 'status', workload, '--timeout=120s');
}

const node = async (name: string): Promise<NodeObject> => (await get<NodeObject>('node', name)) as NodeObject;

/** Guests of the machine on a node, as the node's process list has it; none on a node that is off. */
async function guests(on: string, name: string): Promise<number> {
  const look = `pgrep -c -f 'guest=[e]2e-node-loss_${name}[,]' || true`;
  return Number((await nodeExec(on, 'sh', '-c', look).catch(() => '0')).trim());
}

async function podsOf(name: string): Promise<PodObject[]> {
  return list<PodObject>('pods', '-n', ns, '-l', `vm.kubevirt.io/name=${name}`);
}

async function untilRunsOn(name: string, where: string): Promise<void> {
  await eventually(`${name} runs on ${where}`, 120_000, async () => {
    const vmi = await getVmi(ns, name);
    if (vmi?.status?.phase === 'Running' && vmi.status.nodeName === where) return true;
    throw new Error(`phase ${vmi?.status?.phase} on ${vmi?.status?.nodeName}`);
  });
}

/** Machines that start on the victim because nothing else may be placed elsewhere just then. */
async function startOnVictim(...names: string[]): Promise<void> {
  await kubectl('cordon', other);
  for (const name of names) await apply(tinyVm(ns, name, 'Always'));
  for (const name of names) await untilRunsOn(name, victim);
  await kubectl('uncordon', other);
}

const forceDelete = async (name: string): Promise<void> => {
  const [pod] = await podsOf(name);
  await kubectl('-n', ns, 'delete', 'pod', pod?.metadata.name ?? '', '--grace-period=0', '--force');
};

beforeAll(async () => {
  await freshNamespace(ns);
  await setHeartbeat(5, 30);
  const [controller] = await list<PodObject>('pods', '-n', productNamespace, '-l', 'kubevirt.io=virt-controller');
  const names = (await list<NodeObject>('nodes')).map(({ metadata }) => metadata.name);
  other = controller?.spec.nodeName ?? '';
  victim = names.find((name) => name !== other) ?? '';
  await startOnVictim('forced', 'tainted');
}, 300_000);

afterAll(async () => {
  await plugIn(victim).catch(() => {});
  await startOnNode(victim, 'kubelet').catch(() => {});
  await reviveNode(victim).catch(() => {});
  await tryKubectl(undefined, 'taint', 'node', victim, `${TAINT}-`);
  for (const name of [victim, other]) await tryKubectl(undefined, 'uncordon', name);
  await kubectl('delete', 'namespace', ns, '--wait=false');
  await setHeartbeat(60, 300);
}, 200_000);

describe('a node that is cut off', () => {
  beforeAll(async () => {
    await cutOff(victim);
  });

  test('gets no more guests, and an event tells why', async () => {
    await eventually('label schedulable is false', UNTIL_LOST_MS, async () => {
      return (await node(victim)).metadata.labels['kubevirt.io/schedulable'] === 'false';
    });
    await eventually('event NodeUnresponsive', 30_000, async () =>
      (await eventsOf('default', victim)).some(({ reason }) => reason === 'NodeUnresponsive'),
    );
  }, 180_000);

  test('the machine says what it waits for and what to do, and no second guest is started', async () => {
    const vm = await eventually('Ready is False for the node', UNTIL_LOST_MS, async () => {
      expect(await guests(other, 'forced')).toBe(0);
      const now = await getVm(ns, 'forced');
      return condition(now, 'Ready')?.reason === 'NodeUnresponsive' ? now : undefined;
    });
    expect(vm.status?.printableStatus).toBe('Unknown');
    const vmi = await getVmi(ns, 'forced');
    expect(vmi?.status?.phase).toBe('Running');
    for (const object of [vm, vmi]) {
      expect(condition(object, 'Ready')).toMatchObject({ status: 'False' });
      expect(condition(object, 'Ready')?.message).toContain(
        `kubectl taint node ${victim} ${TAINT}=nodeshutdown:NoExecute`,
      );
      expect(condition(object, 'Ready')?.message).toContain('--grace-period=0 --force');
    }
    await eventually('events on machine and instance', 30_000, async () => {
      const told = (await eventsOf(ns, 'forced')).filter(({ reason }) => reason === 'NodeUnresponsive');
      const kinds = new Set(told.map(({ involvedObject }) => involvedObject.kind));
      return kinds.has('VirtualMachine') && kinds.has('VirtualMachineInstance');
    });
    expect(await podsOf('forced')).toHaveLength(1);
  }, 180_000);

  test('its pod deleted by force: the guest is started on the other node', async () => {
    await forceDelete('forced');
    await untilRunsOn('forced', other);
    expect(await guests(other, 'tainted')).toBe(0);
  }, 150_000);

  test('declared out of service: the guest is started on the other node', async () => {
    await kubectl('taint', 'node', victim, `${TAINT}=nodeshutdown:NoExecute`);
    await untilRunsOn('tainted', other);
    await kubectl('taint', 'node', victim, `${TAINT}-`);
  }, 180_000);

  test('back again: its stale guests are dead before it gives a sign of life', async () => {
    const before = (await node(victim)).metadata.annotations['kubevirt.io/heartbeat'];
    expect((await guests(victim, 'forced')) + (await guests(victim, 'tainted'))).toBeGreaterThan(0);
    // Without the kubelet, which ends pods that are gone as well, and may be quicker.
    await stopOnNode(victim, 'kubelet');
    await plugIn(victim);
    await eventually('a heartbeat', 90_000, async () => {
      return (await node(victim)).metadata.annotations['kubevirt.io/heartbeat'] !== before;
    });
    expect((await guests(victim, 'forced')) + (await guests(victim, 'tainted'))).toBe(0);
    await eventually('event StaleGuestKilled', 30_000, async () => {
      return (await eventsOf('default', victim)).some(({ reason }) => reason === 'StaleGuestKilled');
    });
    await startOnNode(victim, 'kubelet');
    for (const name of ['forced', 'tainted']) {
      expect(await guests(other, name)).toBe(1);
      expect((await getVmi(ns, name))?.status?.nodeName).toBe(other);
    }
    await kubectl('wait', `node/${victim}`, '--for=condition=Ready', '--timeout=90s');
  }, 240_000);
});

test('a node that is switched off: never two guests, not when it is on again either', async () => {
  for (const name of ['forced', 'tainted']) await kubectl('-n', ns, 'delete', 'vm', name, '--wait=false');
  await eventually('guests are placed on the victim again', 60_000, async () => {
    return (await node(victim)).metadata.labels['kubevirt.io/schedulable'] === 'true';
  });
  await startOnVictim('off');
  const first = await untilPhase(ns, 'off', 'Running');
  let most = 0;
  const watching = { on: true };
  const watch = (async () => {
    while (watching.on) most = Math.max(most, (await guests(victim, 'off')) + (await guests(other, 'off')));
  })();
  try {
    await loseNode(victim);
    // As who is certain that it is off says so: otherwise the scheduler would not know for 50 s, and place the guest there.
    await kubectl('cordon', victim);
    await forceDelete('off');
    await untilRunsOn('off', other);
    expect((await getVmi(ns, 'off'))?.metadata.uid).not.toBe(first.metadata.uid);
    await reviveNode(victim);
    await kubectl('uncordon', victim);
    await eventually('virt-handler is back', 90_000, async () => {
      return (await node(victim)).metadata.labels['kubevirt.io/schedulable'] === 'true';
    });
  } finally {
    watching.on = false;
    await watch;
  }
  expect(most).toBe(1);
}, 400_000);
