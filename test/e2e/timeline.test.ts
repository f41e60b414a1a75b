import type { VirtualMachineInstance } from '@yagura/api';
import type { Timeline, TimelineEntry } from '@yagura/layers/timeline';
import { kubectl, tryKubectl, yagura } from './support/cluster.ts';
import { componentPod, signalComponent } from './support/components.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  disklessVmi,
  freshNamespace,
  inLauncher,
  launcherPod,
  type PodObject,
  untilAgent,
} from './support/machines.ts';

const ns = 'e2e-timeline';
let vmi: VirtualMachineInstance;
let pod: PodObject;

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(disklessVmi(ns, 'flight', 128));
  vmi = await untilAgent(ns, 'flight');
  pod = await launcherPod(vmi);
}, 240_000);

afterAll(async () => {
  await tryKubectl(undefined, 'delete', 'namespace', ns, '--wait=false');
});

async function timeline(...args: string[]): Promise<Timeline> {
  const { code, stdout, stderr } = await yagura('timeline', `${ns}/flight`, '-o', 'json', ...args);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Timeline;
}

/** Such a change, with its place in the timeline. */
const changeTo = ({ entries }: Timeline, field: string, value: string): TimelineEntry | undefined =>
  entries.findLast((entry) => entry.kind === 'change' && entry.field === field && String(entry.new).startsWith(value));

const pausedBehind = (told: Timeline) => {
  const event = told.entries.findLast((entry) => entry.kind === 'event' && entry.message.startsWith('suspended'));
  const state = changeTo(told, 'state', 'paused');
  const object = changeTo(told, 'vmi.condition.Paused', 'True');
  return event && state && object ? { event, state, object } : undefined;
};

test('a start is recorded from its layers, in one order', async () => {
  const told = await timeline();
  expect(told).toMatchObject({ metadata: { uid: vmi.metadata?.uid }, node: pod.spec.nodeName, recording: true });
  expect(told.entries.map(({ seq }) => seq)).toEqual(told.entries.map((_, index) => told.dropped + 1 + index));
  const running = changeTo(told, 'state', 'running');
  const connected = changeTo(told, 'agent.channel', 'connected');
  expect(running?.source).toBe('libvirt');
  expect(connected?.seq).toBeGreaterThan(running?.seq ?? Number.POSITIVE_INFINITY);
  expect(changeTo(told, 'vmi.phase', 'Running')).toMatchObject({ layer: 'kubernetes', writer: 'virt-handler' });
});

test('a guest that is paused behind the back of Kubernetes: libvirt first, then the object', async () => {
  await inLauncher(pod, 'virsh suspend $(virsh -q list --name)');
  const { event, state, object } = await eventually('the pause is recorded', 15_000, async () =>
    pausedBehind(await timeline()),
  );
  expect(event).toMatchObject({ layer: 'domain', source: 'libvirt', message: expect.stringContaining('suspended') });
  expect(state).toMatchObject({ source: 'libvirt', old: 'running', new: 'paused' });
  expect(object).toMatchObject({ source: 'VirtualMachineInstance', writer: 'virt-handler' });
  expect([event.seq, state.seq, object.seq]).toEqual([event.seq, state.seq, object.seq].toSorted((a, b) => a - b));
  const layers = await yagura('layers', `${ns}/flight`);
  expect(layers.stdout).toMatch(/^Last changes .*:\n\S+Z +(?:kubernetes|node|domain|guest|network) /m);
  await inLauncher(pod, 'virsh resume $(virsh -q list --all --name)');
  await eventually('the guest runs again', 15_000, async () => {
    const resumed = changeTo(await timeline(), 'state', 'running');
    return resumed !== undefined && resumed.seq > state.seq;
  });
}, 60_000);

test('a person chooses a layer', async () => {
  const told = (await yagura('timeline', `${ns}/flight`, '--layer', 'guest', '--since', '1h')).stdout;
  expect(told).toMatch(/guest +libvirt +agent\.channel: .*connected/);
  expect(told).not.toMatch(/^\S+Z +domain/m);
});

test('virt-handler is killed: what was recorded is there, and it goes on', async () => {
  const before = await eventually('what is recorded is written down', 30_000, async () => {
    const told = await timeline();
    const quietMs = Date.parse(told.generatedAt) - Date.parse(told.entries.at(-1)?.time ?? told.generatedAt);
    return quietMs > 2_000 ? told : undefined;
  });
  await signalComponent(await componentPod('virt-handler', pod.spec.nodeName), 'KILL');
  const after = await eventually('the next virt-handler tells of it', 60_000, async () => {
    const told = await timeline().catch(() => undefined);
    return told?.entries.slice(before.entries.length).some(({ field }) => field === 'recorder') ? told : undefined;
  });
  expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
  // Nothing changed for the guest: whoever comes new must not take what it learns for changes.
  const since = after.entries.slice(before.entries.length);
  expect(
    since.filter((entry) => entry.kind === 'change' && entry.layer === 'domain' && entry.new !== entry.old),
  ).toEqual([]);
}, 90_000);

test('the instance is deleted: its timeline is found all the same', async () => {
  await kubectl('-n', ns, 'delete', 'vmi', 'flight', '--timeout=60s');
  const gone = await eventually('the node tells of the end', 15_000, async () => {
    const told = await timeline();
    return told.recording ? undefined : told;
  });
  expect(gone).toMatchObject({ metadata: { uid: vmi.metadata?.uid }, node: pod.spec.nodeName });
  expect(pausedBehind(gone)).toBeDefined();
  expect(gone.entries.at(-1)).toMatchObject({ kind: 'event', message: 'the instance is gone from this node' });
  expect((await yagura('timeline', `${ns}/flight`, '--runs')).stdout).toContain(`${vmi.metadata?.uid}`);
}, 90_000);

test('of what never was, that nobody has recorded it', async () => {
  const { code, stderr } = await yagura('timeline', `${ns}/nobody`);
  expect(code).not.toBe(0);
  expect(stderr).toContain('no node has recorded anything');
});
