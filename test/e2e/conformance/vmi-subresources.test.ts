import { KubeError } from '@yagura/kube';
import { kubectl } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { apply, condition, freshNamespace, getVmi, tinyVm, untilPhase } from '../support/machines.ts';
import { kubeClient } from '../support/streams.ts';

// The subresources of instances by their codes and texts, a row each (KubeVirt's contract, 4.2). No guest boots here.

const ns = 'e2e-subresources';
const root = '/apis/subresources.kubevirt.io/v1';

/** QEMU with its firmware and nothing to boot from: Running within a second or two, without an agent. */
const bare = (name: string, spec: object = {}, domain: object = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { namespace: ns, name },
  spec: {
    terminationGracePeriodSeconds: 0,
    domain: { memory: { guest: '64Mi' }, devices: { autoattachPodInterface: false }, ...domain },
    ...spec,
  },
});

const deaf = {
  features: { acpi: { enabled: false } },
  devices: { autoattachPodInterface: false, autoattachSerialConsole: false, autoattachGraphicsDevice: false },
};

beforeAll(async () => {
  await freshNamespace(ns);
  await Promise.all([
    apply(bare('running')),
    apply(bare('paused', { startStrategy: 'Paused' })),
    apply(bare('deaf', {}, deaf)),
    apply(bare('pending', { nodeSelector: { nowhere: 'true' } })),
    apply(tinyVm(ns, 'halted', 'Halted')),
  ]);
  await Promise.all(['running', 'paused', 'deaf'].map(async (name) => untilPhase(ns, name, 'Running', 120_000)));
  await eventually(
    'one of them is paused',
    30_000,
    async () => condition(await getVmi(ns, 'paused'), 'Paused')?.status === 'True',
  );
}, 300_000);

afterAll(async () => {
  (await kubeClient()).close();
  await kubectl('delete', 'namespace', ns, '--wait=false');
}, 60_000);

/** The code and the message that a call is answered with; 200 stands for every success. */
async function answer(method: 'GET' | 'PUT', path: string, body?: object): Promise<[code: number, message: string]> {
  const client = await kubeClient();
  try {
    await client.request({ method, path: `${root}/${path}`, ...(body === undefined ? {} : { body }) });
    return [200, ''];
  } catch (error) {
    if (error instanceof KubeError) return [error.code, error.message];
    throw error;
  }
}

const everything = { dryRun: ['All'] };

test.each<
  [method: 'GET' | 'PUT', name: string, subresource: string, body: object | undefined, code: number, text: string]
>([
  ['PUT', 'nobody', 'pause', {}, 404, 'virtualmachineinstance.kubevirt.io "nobody" not found'],
  ['PUT', 'pending', 'pause', {}, 409, 'VM is not running'],
  ['PUT', 'paused', 'pause', {}, 409, 'VMI is already paused'],
  ['PUT', 'running', 'pause', everything, 200, ''],
  ['PUT', 'pending', 'unpause', {}, 409, 'VMI is not running'],
  ['PUT', 'running', 'unpause', {}, 409, 'VMI is not paused'],
  ['PUT', 'paused', 'unpause', everything, 200, ''],
  ['PUT', 'running', 'pause', { dryRun: ['Some'] }, 400, 'dryRun must be a list that holds nothing but "All"'],
  ['PUT', 'nobody', 'softreboot', {}, 404, 'not found'],
  ['PUT', 'pending', 'softreboot', {}, 409, 'VMI is not running'],
  ['PUT', 'paused', 'softreboot', {}, 409, 'VMI is paused'],
  ['PUT', 'deaf', 'softreboot', {}, 409, 'VMI neither have the agent connected nor the ACPI feature enabled'],
  ['PUT', 'running', 'softreboot', everything, 200, ''],
  ['PUT', 'running', 'softreboot', undefined, 200, ''],
  ['PUT', 'pending', 'reset', {}, 409, 'VMI is not running'],
  ['PUT', 'running', 'reset', everything, 200, ''],
  ['PUT', 'running', 'reset', {}, 200, ''],
  ['PUT', 'pending', 'freeze', {}, 409, 'VMI is not running'],
  ['PUT', 'running', 'freeze', {}, 409, 'VMI does not have guest agent connected'],
  ['PUT', 'running', 'freeze', { unfreezeTimeout: 'soon' }, 400, 'unfreezeTimeout must be a duration'],
  ['PUT', 'running', 'unfreeze', {}, 409, 'VMI does not have guest agent connected'],
  ['GET', 'nobody', 'guestosinfo', undefined, 404, 'not found'],
  ['GET', 'pending', 'guestosinfo', undefined, 500, 'VMI is not running'],
  ['GET', 'running', 'guestosinfo', undefined, 500, 'VMI does not have guest agent connected'],
  ['GET', 'running', 'userlist', undefined, 500, 'VMI does not have guest agent connected'],
  ['GET', 'running', 'filesystemlist', undefined, 500, 'VMI does not have guest agent connected'],
  ['GET', 'nobody', 'console', undefined, 404, 'not found'],
  ['GET', 'deaf', 'console', undefined, 400, 'No serial consoles are present.'],
  ['GET', 'pending', 'console', undefined, 400, 'VMI is not running'],
  ['GET', 'running', 'console', undefined, 400, 'the client is not using the websocket protocol'],
  ['GET', 'deaf', 'vnc', undefined, 400, 'No graphics devices are present.'],
  ['GET', 'pending', 'vnc', undefined, 400, 'VMI is not running'],
  ['GET', 'running', 'vnc', undefined, 400, 'the client is not using the websocket protocol'],
  ['GET', 'deaf', 'vnc/screenshot', undefined, 400, 'No graphics devices are present.'],
  ['GET', 'pending', 'vnc/screenshot', undefined, 400, 'VMI is not running'],
  ['GET', 'running', 'vnc/screenshot', undefined, 200, ''],
  ['GET', 'paused', 'portforward/80', undefined, 409, 'VMI is paused'],
  ['GET', 'pending', 'portforward/80', undefined, 400, 'VMI is not running'],
  ['GET', 'running', 'portforward/80', undefined, 400, 'VMI has no network interfaces'],
  ['GET', 'running', 'portforward/0', undefined, 400, 'port must be a number from 1 to 65535'],
  ['GET', 'running', 'portforward/80/sctp', undefined, 400, 'protocol must be tcp or udp'],
  ['GET', 'running', 'usbredir', undefined, 404, 'could not find the requested resource'],
  ['GET', 'running', 'pause', undefined, 405, 'does not allow GET'],
])('%s virtualmachineinstances/%s/%s with %j is %i "%s"', async (method, name, subresource, body, code, text) => {
  const [answered, message] = await answer(
    method,
    `namespaces/${ns}/virtualmachineinstances/${name}/${subresource}`,
    body,
  );
  expect([answered, message]).toEqual([code, expect.stringContaining(text)]);
});

const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'x' } };
const spec = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } };

test.each<[method: 'GET' | 'PUT', path: string, body: object | undefined, code: number, text: string]>([
  ['GET', `namespaces/${ns}/virtualmachines/halted/expand-spec`, undefined, 200, ''],
  [
    'GET',
    `namespaces/${ns}/virtualmachines/nobody/expand-spec`,
    undefined,
    404,
    'virtualmachine.kubevirt.io "nobody" not found',
  ],
  [
    'GET',
    `namespaces/${ns}/virtualmachines/nobody/portforward/22`,
    undefined,
    404,
    'virtualmachine.kubevirt.io "nobody" not found',
  ],
  [
    'GET',
    `namespaces/${ns}/virtualmachines/halted/portforward/22`,
    undefined,
    404,
    'virtualmachineinstance.kubevirt.io "halted" not found',
  ],
  ['PUT', `namespaces/${ns}/expand-vm-spec`, { ...vm, spec }, 200, ''],
  ['PUT', `namespaces/${ns}/expand-vm-spec`, {}, 400, 'a new VirtualMachine is expected as the request body'],
  ['PUT', `namespaces/${ns}/expand-vm-spec`, { ...vm, spec: {} }, 400, 'Object is not a valid VirtualMachine'],
  ['GET', 'version', undefined, 200, ''],
  ['GET', 'healthz', undefined, 200, ''],
  ['GET', 'guestfs', undefined, 404, 'no libguestfs-tools image'],
  ['GET', 'start-cluster-profiler', undefined, 403, 'Unable to start profiler'],
])('%s %s with %j is %i "%s"', async (method, path, body, code, text) => {
  const [answered, message] = await answer(method, path, body);
  expect([answered, message]).toEqual([code, expect.stringContaining(text)]);
});

test('the API server has our discovery and our paths', async () => {
  const client = await kubeClient();
  const { resources } = await client.request<{ resources: { name: string; verbs: string[] }[] }>({ path: root });
  expect(resources).toContainEqual(
    expect.objectContaining({ name: 'virtualmachineinstances/console', verbs: ['get'] }),
  );
  const { paths } = await client.request<{ paths: Record<string, unknown> }>({
    path: '/openapi/v3/apis/subresources.kubevirt.io/v1',
  });
  const console = `${root}/namespaces/{namespace}/virtualmachineinstances/{name}/console`;
  expect(Object.keys(paths)).toContain(console);
  // The API server merges version 2 into its own document, some time after we have come.
  await eventually('the merged OpenAPI document has our paths', 60_000, async () => {
    const merged = await client.request<{ paths: Record<string, unknown> }>({ path: '/openapi/v2' });
    return console in merged.paths;
  });
}, 90_000);
