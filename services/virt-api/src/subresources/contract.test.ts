import { Readable } from 'node:stream';
import { KubeError } from '@yagura/kube';
import type { RequestContext } from '../http/router.ts';
import { deviceCall } from '../streams/device-call.ts';
import { OpenStreams } from '../streams/open-streams.ts';
import { portForwardCall } from '../streams/port-forward.ts';
import { clusterCalls } from './cluster-calls.ts';
import { expandSpecCall, expandVmSpecCall } from './expand.ts';
import type { Vmi } from './objects.ts';
import { commandCall, guestCall, screenshotCall } from './vmi-calls.ts';

// The subresources' codes and texts as clients know them, a row each; the same table runs on a cluster in test/e2e.

const user = { username: 'jane', groups: [], extra: {} };

function context(body = '', params: Record<string, string> = {}): RequestContext {
  return {
    request: Readable.from(body === '' ? [] : [Buffer.from(body)]) as unknown as RequestContext['request'],
    method: 'PUT',
    path: '',
    params: { namespace: 'ns', name: 'vm', ...params },
    query: new URLSearchParams(),
    signal: new AbortController().signal,
  };
}

interface World {
  phase?: string;
  conditions?: string[];
  spec?: Vmi['spec'];
  interfaces?: { ipAddress?: string; infoSource?: string }[];
  exists?: boolean;
}

function world({ phase = 'Running', conditions = [], spec = {}, interfaces = [], exists = true }: World) {
  const asked: string[] = [];
  const vmi: Vmi = {
    metadata: { name: 'vm', namespace: 'ns', uid: 'U' },
    spec,
    status: { phase, nodeName: 'n1', interfaces, conditions: conditions.map((type) => ({ type, status: 'True' })) },
  };
  const client = {
    get: async () => {
      if (exists) return vmi;
      throw new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
    },
    request: async () => ({}),
  } as never;
  const handlers = {
    call: async (_node: string, _vmi: object, method: string, subresource: string, options: { body?: unknown }) => {
      asked.push([`${method} ${subresource}`, ...(options.body ? [JSON.stringify(options.body)] : [])].join(' '));
      return { status: 202, contentType: '', body: '' };
    },
    stream: async () => {
      throw new Error('not dialled here');
    },
  };
  const streams = new OpenStreams(() => () => {});
  const device = { client, handlers, streams };
  const port = { port: '80' };
  const calls: Record<string, (body: string) => Promise<unknown>> = {
    ...Object.fromEntries(
      (['pause', 'unpause', 'softreboot', 'reset', 'freeze', 'unfreeze'] as const).map((verb) => [
        verb,
        async (body: string) => commandCall(client, handlers, verb)(context(body)),
      ]),
    ),
    guestosinfo: async () => guestCall(client, handlers, 'guestosinfo')(context()),
    'vnc/screenshot': async () => screenshotCall(client, handlers)(context()),
    console: async () => deviceCall(device, 'console')(context(), user),
    vnc: async () => deviceCall(device, 'vnc')(context(), user),
    'portforward/80': async () => portForwardCall({ client, streams }, 'vmi')(context('', port), user),
    'portforward/x': async () => portForwardCall({ client, streams }, 'vmi')(context('', { port: 'x' }), user),
    'portforward/80/sctp': async () =>
      portForwardCall({ client, streams }, 'vmi')(context('', { ...port, protocol: 'sctp' }), user),
    'vm portforward/80': async () => portForwardCall({ client, streams }, 'vm')(context('', port), user),
    'vm expand-spec': async () => expandSpecCall(client)(context()),
    'expand-vm-spec': async (body) => expandVmSpecCall(context(body, { namespace: 'ns' })),
    guestfs: async () => clusterCalls(client)['guestfs']?.(context()),
    'start-cluster-profiler': async () => clusterCalls(client)['start-cluster-profiler']?.(context()),
  };
  return { asked, calls };
}

const noProbe = { livenessProbe: {} };
const noAcpi = { domain: { features: { acpi: { enabled: false } } } };
const noConsole = { domain: { devices: { autoattachSerialConsole: false } } };
const noGraphics = { domain: { devices: { autoattachGraphicsDevice: false } } };
const address = [{ ipAddress: '10.0.0.9' }];
const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'x' } };

type Row = [call: string, world: World, body: string, code: number, text: string];

test.each<Row>([
  ['pause', { exists: false }, '', 404, 'virtualmachineinstance.kubevirt.io "vm" not found'],
  ['pause', { phase: 'Scheduled' }, '', 409, 'VM is not running'],
  ['pause', { conditions: ['Paused'] }, '', 409, 'VMI is already paused'],
  ['pause', { spec: noProbe }, '', 403, 'Pausing VMIs with LivenessProbe is currently not supported'],
  ['pause', {}, '{', 400, 'the body is not JSON'],
  ['pause', {}, '{"dryRun":["None"]}', 400, 'dryRun must be a list that holds nothing but "All"'],
  ['unpause', { phase: 'Failed' }, '', 409, 'VMI is not running'],
  ['unpause', {}, '', 409, 'VMI is not paused'],
  ['softreboot', { phase: 'Pending' }, '', 409, 'VMI is not running'],
  ['softreboot', { conditions: ['Paused'] }, '', 409, 'VMI is paused'],
  ['softreboot', { spec: noAcpi }, '', 409, 'VMI neither have the agent connected nor the ACPI feature enabled'],
  ['reset', { phase: 'Succeeded' }, '', 409, 'VMI is not running'],
  ['freeze', { phase: 'Scheduled' }, '', 409, 'VMI is not running'],
  ['freeze', {}, '', 409, 'VMI does not have guest agent connected'],
  ['freeze', { conditions: ['AgentConnected', 'Paused'] }, '', 409, 'VMI is paused'],
  [
    'freeze',
    { conditions: ['AgentConnected'] },
    '{"unfreezeTimeout":"soon"}',
    400,
    'unfreezeTimeout must be a duration',
  ],
  ['freeze', { conditions: ['AgentConnected'] }, '{"unfreezeTimeout":5}', 400, 'unfreezeTimeout must be a duration'],
  ['unfreeze', {}, '', 409, 'VMI does not have guest agent connected'],
  ['guestosinfo', { phase: 'Scheduled' }, '', 500, 'VMI is not running'],
  ['guestosinfo', {}, '', 500, 'VMI does not have guest agent connected'],
  ['console', { exists: false }, '', 404, 'not found'],
  ['console', { spec: noConsole }, '', 400, 'No serial consoles are present.'],
  ['console', { phase: 'Scheduled' }, '', 400, 'VMI is not running'],
  ['console', { phase: 'Failed' }, '', 409, 'VMI is in failed status'],
  ['console', {}, '', 400, 'the client is not using the websocket protocol'],
  ['vnc', { spec: noGraphics }, '', 400, 'No graphics devices are present.'],
  ['vnc', { phase: 'Failed' }, '', 400, 'VMI is not running'],
  ['vnc', {}, '', 400, 'the client is not using the websocket protocol'],
  ['vnc/screenshot', { spec: noGraphics }, '', 400, 'No graphics devices are present.'],
  ['vnc/screenshot', { phase: 'Scheduled' }, '', 400, 'VMI is not running'],
  ['portforward/80', { conditions: ['Paused'], interfaces: address }, '', 409, 'VMI is paused'],
  ['portforward/80', { phase: 'Scheduled' }, '', 400, 'VMI is not running'],
  ['portforward/80', {}, '', 400, 'VMI has no network interfaces'],
  ['portforward/80', { interfaces: [{}] }, '', 400, 'VMI has no IP address'],
  ...['127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1'].map(
    (ipAddress): Row => [
      'portforward/80',
      { interfaces: [{ ipAddress, infoSource: 'domain, guest-agent' }] },
      '',
      400,
      'cannot be reached from here',
    ],
  ),
  [
    'portforward/80',
    { interfaces: [{ ipAddress: '10.0.0.1', infoSource: 'guest-agent' }] },
    '',
    400,
    'VMI has no IP address',
  ],
  ['portforward/80', { interfaces: address }, '', 400, 'the client is not using the websocket protocol'],
  ['portforward/x', { interfaces: address }, '', 400, 'port must be a number from 1 to 65535, not "x"'],
  ['portforward/80/sctp', { interfaces: address }, '', 400, 'protocol must be tcp or udp, not "sctp"'],
  ['vm portforward/80', { exists: false }, '', 404, 'virtualmachine.kubevirt.io "vm" not found'],
  ['vm expand-spec', { exists: false }, '', 404, 'virtualmachine.kubevirt.io "vm" not found'],
  ['expand-vm-spec', {}, '', 400, 'a new VirtualMachine is expected as the request body'],
  ['expand-vm-spec', {}, '{"kind":"VirtualMachine"}', 400, 'Object is not a valid VirtualMachine'],
  ['guestfs', {}, '', 404, 'no libguestfs-tools image'],
  ['start-cluster-profiler', {}, '', 403, 'Unable to start profiler'],
])('%s of %j with %j is %i %s', async (call, state, body, code, text) => {
  const { calls } = world(state);
  await expect(calls[call]?.(body)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
});

test.each<[call: string, conditions: string[], body: string, asked: string]>([
  ['pause', [], '', 'PUT pause'],
  ['unpause', ['Paused'], '{}', 'PUT unpause'],
  ['softreboot', [], '', 'PUT softreboot'],
  ['reset', ['Paused'], '', 'PUT reset'],
  ['freeze', ['AgentConnected'], '', 'PUT freeze {"unfreezeTimeout":"5m"}'],
  ['freeze', ['AgentConnected'], '{"unfreezeTimeout":"90s"}', 'PUT freeze {"unfreezeTimeout":"90s"}'],
  ['unfreeze', ['AgentConnected'], '', 'PUT unfreeze'],
])(
  '%s with %j and %j is 200, once the handler has done it; a dry run asks nobody',
  async (call, conditions, body, to) => {
    const { calls, asked } = world({ conditions });
    await expect(calls[call]?.('{"dryRun":["All"]}')).resolves.toEqual({ status: 200 });
    expect(asked).toEqual([]);
    await expect(calls[call]?.(body)).resolves.toEqual({ status: 200 });
    expect(asked).toEqual([to]);
  },
);

test('a machine without an instance type is its own expansion', async () => {
  const spec = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } };
  const { calls } = world({});
  await expect(calls['expand-vm-spec']?.(JSON.stringify({ ...vm, spec }))).resolves.toMatchObject({
    status: 200,
    body: { ...vm, spec },
  });
  const typed = JSON.stringify({ ...vm, metadata: { name: 'x', namespace: 'other' }, spec });
  await expect(calls['expand-vm-spec']?.(typed)).rejects.toMatchObject({ code: 400 });
});
