import type { VirtualMachineInstance } from '@yagura/api';
import { KubeError, type Patch } from '@yagura/kube';
import { StatusWriter } from './status-writer.ts';
import { testVmi } from './testing.ts';

const signal = new AbortController().signal;
const failedTest = () =>
  new KubeError(
    { code: 422, message: 'testing value /status/phase failed: test failed', reason: 'Invalid' },
    'PATCH vmi',
  );

/** An API server as far as a status writer sees it: it refuses as often as told, then stores. */
function server(stored: VirtualMachineInstance, refusals: number) {
  const calls: string[] = [];
  let left = refusals;
  return {
    calls,
    client: {
      get: async () => {
        calls.push('get');
        return stored as never;
      },
      patch: async (_resource: unknown, _target: unknown, patch: Patch) => {
        calls.push(`patch ${JSON.stringify((patch.body as { path: string }[]).map(({ path }) => path))}`);
        if (left-- > 0) throw failedTest();
        return { ...stored, status: { ...stored.status, reason: 'written' } } as never;
      },
    },
  };
}
const none = { store: { get: () => undefined } as never, observe: () => {} };
const wanted = ({ status = {} }: VirtualMachineInstance) => ({ ...status, reason: 'X' });

test('what is as wanted is not written', async () => {
  const { client, calls } = server(testVmi({ reason: 'X' }), 0);
  await new StatusWriter(client, none).write(testVmi({ reason: 'X' }), wanted, signal);
  expect(calls).toEqual([]);
});

test('a patch that met a newer object is made anew on that object', async () => {
  const { client, calls } = server(testVmi({ phase: 'Running' }), 1);
  await new StatusWriter(client, none).write(testVmi(), wanted, signal);
  expect(calls).toEqual([
    'patch ["/status/phase","/status/reason"]',
    'get',
    'patch ["/status/phase","/status/reason"]',
  ]);
});

test('a race that is lost again and again is left to the next look', async () => {
  const { client, calls } = server(testVmi(), 99);
  await expect(new StatusWriter(client, none).write(testVmi(), wanted, signal)).rejects.toThrow('test failed');
  expect(calls.filter((call) => call !== 'get')).toHaveLength(4);
});

test('another instance of the same name is not written to', async () => {
  const { client, calls } = server(testVmi({}, {}, { uid: 'other' }), 1);
  await expect(new StatusWriter(client, none).write(testVmi(), wanted, signal)).rejects.toThrow('test failed');
  expect(calls).toHaveLength(2);
});

test('an instance that is not labelled with this node is not stored as ours', async () => {
  const observed: unknown[] = [];
  const observe = (object: unknown) => observed.push(object);
  const { client } = server(testVmi(), 0);
  await new StatusWriter(client, { ...none, observe }).write(testVmi(), wanted, signal);
  expect(observed).toEqual([]);
  const ours = { store: { get: () => testVmi() } as never, observe };
  await new StatusWriter(client, ours).write(testVmi(), wanted, signal);
  expect(observed).toHaveLength(1);
});
