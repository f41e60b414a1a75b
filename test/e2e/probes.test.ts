import type { VirtualMachineInstance } from '@yagura/api';
import { kubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  askAgent,
  condition,
  eventsOf,
  freshNamespace,
  getVmi,
  launcherPod,
  type PodObject,
  tinyVmi,
  untilAgent,
  untilPhase,
} from './support/machines.ts';

const ns = 'e2e-probes';
const PAUSE = 'kubevirt.io/pause-guest-agent-probes';
const often = { periodSeconds: 2, failureThreshold: 2, timeoutSeconds: 2 };
const pods = new Map<string, PodObject>();

const MACHINES: Record<string, Partial<VirtualMachineInstance['spec']>> = {
  exec: {
    readinessProbe: { ...often, exec: { command: ['/bin/sh', '-c', 'test "$(cat "/tmp/is ready")" = \'yes "$\''] } },
  },
  ping: { readinessProbe: { ...often, guestAgentPing: {} } },
  http: { readinessProbe: { ...often, httpGet: { port: 8080, path: '/page' } } },
  tcp: { readinessProbe: { ...often, tcpSocket: { port: 8080 } } },
};

/** A program in the guest, which is not waited for. */
async function inGuest(name: string, script: string): Promise<void> {
  const args = { path: '/bin/sh', arg: ['-c', script] };
  await askAgent(pods.get(name) as PodObject, { execute: 'guest-exec', arguments: args });
}

async function untilReady(name: string, status: 'True' | 'False', timeoutMs = 40_000) {
  return eventually(`Ready of ${name} is ${status}`, timeoutMs, async () => {
    const ready = condition(await getVmi(ns, name), 'Ready');
    if (ready?.status !== status) throw new Error(`Ready is ${JSON.stringify(ready)}`);
    return ready;
  });
}

beforeAll(async () => {
  await freshNamespace(ns);
  for (const [name, spec] of Object.entries(MACHINES)) await apply(tinyVmi(ns, name, spec));
  for (const name of Object.keys(MACHINES)) {
    pods.set(name, await launcherPod(await untilAgent(ns, name, 180_000)));
  }
}, 300_000);

afterAll(() => kubectl('delete', 'namespace', ns, '--wait=false'));

test('a command in the guest decides, word for word as it is written', async () => {
  const waiting = await untilReady('exec', 'False');
  await eventually('the probe is named', 30_000, async () => {
    const { message } = condition(await getVmi(ns, 'exec'), 'Ready') ?? waiting;
    if (!message?.includes('the readiness probe of the guest (a command through the guest agent)'))
      throw new Error(`Ready says: ${message}`);
    return true;
  });
  await inGuest('exec', `printf %s 'yes "$' > '/tmp/is ready'`);
  await untilReady('exec', 'True');
  await inGuest('exec', `rm '/tmp/is ready'`);
  expect((await untilReady('exec', 'False')).message).toContain('[compute]');
}, 150_000);

test('a ping through the agent fails while it is mute, and may be left out', async () => {
  await untilReady('ping', 'True');
  await inGuest('ping', 'killall -STOP qemu-ga; sleep 40; killall -CONT qemu-ga');
  await untilReady('ping', 'False');
  await eventually('the event', 20_000, async () => {
    const reasons = (await eventsOf(ns, 'ping')).map(({ reason }) => reason);
    if (!reasons.includes('GuestAgentPingFailed')) throw new Error(`events: ${reasons.join()}`);
    return true;
  });
  await kubectl('-n', ns, 'annotate', 'vmi', 'ping', `${PAUSE}=true`);
  await untilReady('ping', 'True', 30_000);
  await kubectl('-n', ns, 'annotate', 'vmi', 'ping', `${PAUSE}-`);
  // The agent goes on by itself, and the probe that is asked again succeeds.
  await untilAgent(ns, 'ping');
  await untilReady('ping', 'True', 60_000);
  const told = (await eventsOf(ns, 'ping')).filter(({ reason }) => reason === 'GuestAgentPingFailed');
  expect(told.length).toBeLessThanOrEqual(2);
}, 180_000);

test.each([
  ['http', 'HTTP GET on port 8080'],
  ['tcp', 'TCP on port 8080'],
])(
  '%s is asked at the guest’s address',
  async (name, what) => {
    await eventually('the probe is named', 30_000, async () => {
      const ready = condition(await getVmi(ns, name), 'Ready');
      if (!ready?.message?.includes(what)) throw new Error(`Ready says: ${JSON.stringify(ready)}`);
      return true;
    });
    await inGuest(name, 'mkdir -p /tmp/www; echo hello > /tmp/www/page; httpd -p 8080 -h /tmp/www');
    await untilReady(name, 'True');
    await inGuest(name, 'killall httpd');
    await untilReady(name, 'False');
  },
  120_000,
);

test('a guest that is dead to its liveness probe ends, and is Failed', async () => {
  // It boots nothing, so there never is an agent.
  const vmi = tinyVmi(ns, 'dead');
  const domain = { memory: { guest: '32Mi' }, devices: { autoattachPodInterface: false } };
  const livenessProbe = { ...often, guestAgentPing: {} };
  await apply({ ...vmi, spec: { terminationGracePeriodSeconds: 0, domain, livenessProbe } });
  const ended = await untilPhase(ns, 'dead', 'Failed', 120_000);
  expect(ended.status?.reason).toBe('LauncherPodTerminated');
  expect(condition(ended, 'Ready')?.status).toBe('False');
}, 150_000);
