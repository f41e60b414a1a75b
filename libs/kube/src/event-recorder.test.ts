import type { KubeClient } from './client.ts';
import { KubeError } from './errors.ts';
import { EventRecorder } from './event-recorder.ts';
import { FakeClock } from './testing/fake-clock.ts';

interface Stored {
  metadata: { name: string };
  reason: string;
  count: number;
}

function setup() {
  const clock = new FakeClock();
  const stored = new Map<string, Stored>();
  const calls: string[] = [];
  let broken = false;
  const fail = () => {
    if (broken) throw new Error('the API server is away');
  };
  const client = {
    async create(_resource: unknown, event: Stored) {
      calls.push('create');
      fail();
      if (stored.has(event.metadata.name)) throw new KubeError({ code: 409, reason: 'AlreadyExists' }, 'POST');
      stored.set(event.metadata.name, structuredClone(event));
      return event;
    },
    async patch(_resource: unknown, { name }: { name: string }, { body }: { body: object }) {
      calls.push('patch');
      fail();
      const event = stored.get(name);
      if (!event) throw new KubeError({ code: 404, reason: 'NotFound' }, 'PATCH');
      return Object.assign(event, body);
    },
  } as unknown as KubeClient;
  const recorder = () => new EventRecorder(client, { component: 'test', clock });
  return { clock, stored, calls, recorder, breakServer: (value: boolean) => (broken = value) };
}

const subject = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', namespace: 'n', name: 'a', uid: 'u' };

test('repetitions of one event become one object with a count, written at most once a minute', async () => {
  const { clock, stored, calls, recorder } = setup();
  const events = recorder();
  for (let i = 0; i < 100; i++) events.normal(subject, 'Started', 'the guest started');
  await events.flush();
  expect(calls).toEqual(['create']);
  await clock.advance(60_000);
  await events.flush();
  expect(calls).toEqual(['create', 'patch']);
  expect([...stored.values()].map(({ reason, count }) => [reason, count])).toEqual([['Started', 100]]);
});

test('a restarted component goes on with the event it wrote before', async () => {
  const { stored, recorder } = setup();
  for (let life = 0; life < 2; life++) {
    const events = recorder();
    events.normal(subject, 'Started', 'the guest started');
    await events.flush();
  }
  expect(stored.size).toBe(1);
});

test('different messages are different events, up to the burst of one object', async () => {
  const { stored, recorder } = setup();
  const events = recorder();
  for (let i = 0; i < 40; i++) events.warning(subject, 'Failed', `attempt ${i}`);
  events.warning({ ...subject, uid: 'other' }, 'Failed', 'attempt');
  await events.flush();
  expect(stored.size).toBe(26);
  expect(events.dropped).toBe(15);
});

test('an API server that is away costs events, never the caller', async () => {
  const { stored, recorder, breakServer } = setup();
  const events = recorder();
  breakServer(true);
  events.normal(subject, 'Started', 'the guest started');
  await events.flush();
  expect(events.dropped).toBe(1);
  breakServer(false);
  events.normal(subject, 'Started', 'the guest started');
  await events.flush();
  expect(stored.size).toBe(1);
});

test('a repetition after the event has expired makes it anew', async () => {
  const { clock, stored, calls, recorder } = setup();
  const events = recorder();
  events.normal(subject, 'Started', 'the guest started');
  await events.flush();
  stored.clear();
  events.normal(subject, 'Started', 'the guest started');
  await clock.advance(60_000);
  await events.flush();
  expect(calls).toEqual(['create', 'patch', 'create']);
  expect(stored.size).toBe(1);
});
