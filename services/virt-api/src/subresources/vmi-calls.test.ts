import { Readable } from 'node:stream';
import { KubeError, type KubeObject } from '@yagura/kube';
import type { LayersReport } from '@yagura/layers';
import type { HandlerAnswer } from '../handler/handler-client.ts';
import type { RequestContext } from '../http/router.ts';
import { layersCall } from './layers-call.ts';
import type { Vmi } from './objects.ts';
import { commandCall, guestCall, screenshotCall } from './vmi-calls.ts';

const context = (body = ''): RequestContext => ({
  request: Readable.from(body === '' ? [] : [Buffer.from(body)]) as unknown as RequestContext['request'],
  method: 'PUT',
  path: '',
  params: { namespace: 'ns', name: 'vm' },
  query: new URLSearchParams(),
  signal: new AbortController().signal,
});
const vmiOf = (conditions: string[], more: Partial<Vmi> = {}, phase = 'Running'): Vmi => ({
  metadata: { name: 'vm', namespace: 'ns', uid: 'U' },
  status: { phase, nodeName: 'n1', conditions: conditions.map((type) => ({ type, status: 'True' })) },
  ...more,
});

/** A cluster with one VMI (or none), and handlers that give one answer and remember what they were asked. */
function world(vmi: Vmi | undefined, answer: HandlerAnswer | Error = { status: 202, contentType: '', body: '' }) {
  const asked: string[] = [];
  const client = {
    get: async (resource: { plural: string }) => {
      if (resource.plural === 'virtualmachineinstances' && vmi !== undefined) return vmi;
      throw new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
    },
    dated: async ({ path }: { path: string }) => {
      const date = new Date('2026-01-01T00:00:00Z');
      if (path.endsWith('/virtualmachineinstances/vm') && vmi !== undefined) return { body: vmi, date };
      if (/(pods|events|migrations)$/.test(path)) return { body: { items: [] }, date };
      throw new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
    },
    list: async () => ({ metadata: {}, items: [] as KubeObject[] }),
    patch: async () => ({}),
  };
  const handlers = {
    call: async (node: string, _vmi: object, method: string, subresource: string) => {
      asked.push(`${method} ${node} ${subresource}`);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { client: client as never, handlers, asked };
}

test('pause goes to the handler of the node, and is 200 when it is done', async () => {
  const { client, handlers, asked } = world(vmiOf([]));
  await expect(commandCall(client, handlers, 'pause')(context())).resolves.toEqual({ status: 200 });
  expect(asked).toEqual(['PUT n1 pause']);
});

test('a dry run asks no handler', async () => {
  const { client, handlers, asked } = world(vmiOf([]));
  await expect(commandCall(client, handlers, 'pause')(context('{"dryRun":["All"]}'))).resolves.toEqual({ status: 200 });
  expect(asked).toEqual([]);
});

test.each([
  ['pause', undefined, 404, 'not found'],
  ['pause', vmiOf([], {}, 'Scheduled'), 409, 'VM is not running'],
  ['pause', vmiOf(['Paused']), 409, 'VMI is already paused'],
  ['pause', vmiOf([], { spec: { livenessProbe: {} } }), 403, 'LivenessProbe'],
  ['unpause', vmiOf([]), 409, 'VMI is not paused'],
  ['unpause', vmiOf(['Paused'], {}, 'Succeeded'), 409, 'VMI is not running'],
] as const)('%s of %# is refused', async (verb, vmi, code, text) => {
  const { client, handlers } = world(vmi);
  await expect(commandCall(client, handlers, verb)(context())).rejects.toMatchObject({
    code,
    message: expect.stringContaining(text),
  });
});

test('a guest whose liveness is its agent may be paused', async () => {
  const { client, handlers } = world(vmiOf([], { spec: { livenessProbe: { guestAgentPing: {} } } }));
  await expect(commandCall(client, handlers, 'pause')(context())).resolves.toEqual({ status: 200 });
});

test('the handler speaks for itself when it refuses', async () => {
  const { client, handlers } = world(vmiOf([]), {
    status: 409,
    contentType: 'text/plain',
    body: 'domain is migrating',
  });
  await expect(commandCall(client, handlers, 'pause')(context())).rejects.toMatchObject({
    code: 409,
    message: expect.stringMatching(/domain is migrating$/),
  });
});

test('the answer of the guest agent passes as it is', async () => {
  const body = '{"items":[{"userName":"root"}]}';
  const { client, handlers } = world(vmiOf(['AgentConnected']), { status: 200, contentType: 'application/json', body });
  await expect(guestCall(client, handlers, 'userlist')(context())).resolves.toEqual({
    status: 200,
    body,
    contentType: 'application/json',
  });
});

test('an agent that is connected and has not answered yet is a 503', async () => {
  const body = JSON.stringify({ kind: 'Status', code: 503, message: 'the guest agent has not answered yet' });
  const answer = { status: 503, contentType: 'application/json', body };
  const { client, handlers } = world(vmiOf(['AgentConnected']), answer);
  await expect(guestCall(client, handlers, 'userlist')(context())).rejects.toMatchObject({
    name: 'StatusError',
    code: 503,
    message: expect.stringMatching(/the guest agent has not answered yet$/),
  });
});

test.each([
  [vmiOf([]), 'VMI does not have guest agent connected'],
  [vmiOf(['AgentConnected'], {}, 'Scheduled'), 'VMI is not running'],
])('without an agent to ask it is a 500 that says so (%#)', async (vmi, text) => {
  const { client, handlers, asked } = world(vmi);
  await expect(guestCall(client, handlers, 'guestosinfo')(context())).rejects.toMatchObject({
    code: 500,
    message: expect.stringContaining(text),
  });
  expect(asked).toEqual([]);
});

describe('layers', () => {
  const reportOf = async (vmi: Vmi | undefined, answer?: HandlerAnswer | Error): Promise<LayersReport> => {
    const { client, handlers } = world(vmi, answer);
    const reply = await layersCall({
      client,
      handlers,
      namespace: 'yagura',
      now: () => new Date('2026-01-01T00:00:00Z'),
    })(context());
    return reply.body as LayersReport;
  };
  const handlerObservation = {
    layer: 'domain',
    field: 'state',
    value: 'running',
    source: 'libvirt',
    observedAt: null,
    maxAge: 5,
    freshness: 'live',
  };

  test('joins the kubernetes layer and what the handler says', async () => {
    const report = await reportOf(vmiOf([]), {
      status: 200,
      contentType: '',
      body: JSON.stringify({ observations: [handlerObservation] }),
    });
    expect(report).toMatchObject({ metadata: { namespace: 'ns', name: 'vm', uid: 'U' }, node: 'n1' });
    expect(report.observations).toContainEqual(handlerObservation);
    expect(report.observations).toContainEqual(
      expect.objectContaining({ field: 'virt-handler', value: 'answers', freshness: 'live' }),
    );
  });

  test('passes on what the handler says has changed last', async () => {
    const changes = [{ seq: 1, kind: 'event', layer: 'domain', field: 'lifecycle', message: 'started booted' }];
    const body = JSON.stringify({ observations: [handlerObservation], changes });
    expect((await reportOf(vmiOf([]), { status: 200, contentType: '', body })).changes).toEqual(changes);
  });

  test.each([
    [new Error('virt-handler on node n1 does not answer: connect ECONNREFUSED'), 'ECONNREFUSED'],
    [{ status: 503, contentType: '', body: 'starting' }, 'answers 503: starting'],
    [{ status: 200, contentType: '', body: '{}' }, 'answers no observations'],
  ])('a handler that does not answer is an observation, and the rest is told (%#)', async (answer, text) => {
    const { observations } = await reportOf(vmiOf([]), answer);
    expect(observations).toContainEqual(
      expect.objectContaining({
        layer: 'node',
        field: 'virt-handler',
        value: null,
        error: expect.stringContaining(text),
      }),
    );
    expect(observations).toContainEqual(expect.objectContaining({ field: 'vmi.phase', value: 'Running' }));
  });

  test('neither VM nor VMI is a 404', async () => {
    await expect(reportOf(undefined)).rejects.toMatchObject({ code: 404 });
  });
});

test.each(['true', 'false'])('a screenshot with moveCursor=%s is asked for as such', async (moveCursor) => {
  const { client, handlers, asked } = world(vmiOf([]), { status: 200, contentType: 'image/png', body: '' });
  const call = screenshotCall(client, handlers);
  await call({ ...context(), query: new URLSearchParams({ moveCursor }) });
  expect(asked).toEqual([`GET n1 vnc/screenshot${moveCursor === 'true' ? '?moveCursor=true' : ''}`]);
});
