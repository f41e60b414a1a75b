import { PassThrough } from 'node:stream';
import { ConnectionError, KubeError } from '@yagura/kube';
import { diagnose } from '@yagura/layers';
import { directReport } from './report.ts';

const target = { namespace: 'ns', name: 'vm' };
const silence = new KubeError({ code: 503, message: 'no endpoints' }, 'GET layers');
const forbidden = new KubeError({ code: 403, reason: 'Forbidden', message: 'user cannot create pods/exec' }, 'exec');
const vmi = { metadata: { name: 'vm', uid: 'U' }, status: { phase: 'Running', nodeName: 'n1' } };
const live = (layer: string, field: string, value: unknown) => ({
  layer,
  field,
  value,
  source: 'test',
  observedAt: '2026-01-01T00:00:00Z',
  maxAge: 10,
  freshness: 'live',
});
const running = [
  live('node', 'launcher.channel', 'answering'),
  live('domain', 'state', 'running'),
  live('domain', 'shutdownRequestedAt', null),
  live('domain', 'qemu.monitor', 'answering'),
];

interface World {
  vmi?: unknown;
  kubevirts?: unknown;
  pods?: unknown;
  exec?: { stdout?: string; stderr?: string; code?: number } | Error;
}

/** A cluster whose virt-api is dead; an Error is what the API server answers. */
async function report(world: World) {
  const executed: unknown[] = [];
  const answer = (value: unknown) => {
    if (value instanceof Error) throw value;
    return value;
  };
  const client = {
    dated: async ({ path }: { path: string }) => {
      if (path.endsWith('/virtualmachineinstances/vm')) return { body: answer(world.vmi ?? vmi), date: undefined };
      if (path.endsWith('/pods'))
        return { body: { items: [{ metadata: { name: 'p' }, status: { phase: 'Running' } }] }, date: undefined };
      if (/(events|migrations)$/.test(path)) return { body: { items: [] }, date: undefined };
      throw new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
    },
    list: async ({ plural }: { plural: string }) => ({
      items: answer(
        plural === 'kubevirts'
          ? (world.kubevirts ?? [{ metadata: { namespace: 'yagura' } }])
          : (world.pods ?? [{ metadata: { name: 'virt-handler-x' }, status: { phase: 'Running' } }]),
      ),
    }),
    exec: async (pod: object, options: object) => {
      executed.push({ ...pod, ...options });
      const { stdout = '', stderr = '', code = 0 } = answer(world.exec ?? {}) as Exclude<World['exec'], Error> & object;
      const stream = (text: string) => new PassThrough().end(text);
      return { stdout: stream(stdout), stderr: stream(stderr), exit: Promise.resolve(code), close: () => {} };
    },
  };
  const made = await directReport(client as never, target, silence, new AbortController().signal);
  const of = (field: string) => made.observations.find((one) => one.field === field);
  return { made, of, executed };
}

test('the node is asked in the pod of its virt-handler, by a command that only reads', async () => {
  const { made, of, executed } = await report({ exec: { stdout: JSON.stringify({ observations: running }) } });
  expect(executed).toEqual([
    {
      namespace: 'yagura',
      name: 'virt-handler-x',
      container: 'virt-handler',
      command: ['yagura-node', 'layers', 'ns/vm'],
    },
  ]);
  expect(of('virt-handler')).toMatchObject({ value: 'answers', source: 'pods/exec' });
  expect(of('virt-api')).toMatchObject({ freshness: 'never', error: expect.stringContaining('no endpoints') });
  const { verdict } = diagnose(made);
  expect(verdict).toMatchObject({ signal: 'virt-api-silent', status: 'degraded' });
  expect(verdict.because.join()).toContain('the guest runs');
});

test.each([
  ['may not exec', { exec: forbidden }, 'exec', 'cannot create pods/exec'],
  ['may not see the pods of the product', { pods: forbidden }, 'exec', 'cannot be asked'],
  ['may not see where the product is', { kubevirts: forbidden }, 'exec', 'the namespace of the product is not known'],
  ['finds no virt-handler', { pods: [] }, 'virt-handler', 'no virt-handler pod runs on node n1'],
  [
    'finds one that does not answer',
    { exec: { stderr: 'no answer within 3 s\n', code: 1 } },
    'virt-handler',
    'no answer within 3 s',
  ],
] as [string, World, string, string][])(
  'who %s is told so, and the rest of the report is there',
  async (_, world, field, text) => {
    const { made, of } = await report(world);
    expect(of(field)).toMatchObject({ layer: 'node', value: null, error: expect.stringContaining(text) });
    expect(of('vmi.phase')).toMatchObject({ value: 'Running', freshness: 'live' });
    expect(diagnose(made).verdict).toMatchObject({ signal: 'virt-api-silent', status: 'unknown' });
  },
);

test('a machine that is not there is not found', async () => {
  const gone = new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
  await expect(report({ vmi: gone })).rejects.toMatchObject({ code: 404, details: { name: 'vm' } });
});

test('an API server that does not answer at all is not called virt-api', async () => {
  const none = new ConnectionError('GET', 'refused');
  const client = { dated: async () => Promise.reject(none), list: async () => Promise.reject(none) };
  const hung = new ConnectionError('GET layers', 'no response within 6000 ms', true);
  await expect(directReport(client as never, target, hung, new AbortController().signal)).rejects.toBe(hung);
});
