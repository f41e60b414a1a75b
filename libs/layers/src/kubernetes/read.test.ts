import { kubernetesLayer } from './layer.ts';
import { type Get, readKubernetes } from './read.ts';

const now = new Date('2026-01-01T00:10:00Z');
const target = { namespace: 'ns', name: 'vm' };
const vmi = {
  metadata: { name: 'vm', uid: 'U' },
  spec: {
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'lost', persistentVolumeClaim: { claimName: 'lost' } },
      { name: 'made', dataVolume: { name: 'made' } },
    ],
  },
  status: { phase: 'Running', nodeName: 'n1', activePods: { P: 'n1', Q: 'n2' } },
};
const lease = {
  metadata: { managedFields: [{ time: '2026-01-01T00:09:56Z' }] },
  spec: { renewTime: '2026-01-01T00:00:00Z', leaseDurationSeconds: 40 },
};
const objects: Record<string, unknown> = {
  '/apis/kubevirt.io/v1/namespaces/ns/virtualmachineinstances/vm': vmi,
  '/api/v1/namespaces/ns/pods': {
    items: [{ metadata: { name: 'virt-launcher-vm', uid: 'P' }, status: { phase: 'Running' } }],
  },
  '/api/v1/namespaces/ns/persistentvolumeclaims/data': {
    metadata: { name: 'data', uid: 'C' },
    status: { phase: 'Pending' },
  },
  '/apis/coordination.k8s.io/v1/namespaces/yagura/leases/virt-handler-n1': lease,
  '/apis/kubevirt.io/v1/namespaces/ns/virtualmachineinstancemigrations': {
    items: [
      {
        metadata: { name: 'mine' },
        spec: { vmiName: 'vm' },
        status: { phase: 'Failed', migrationState: { failureReason: 'died' } },
      },
      { metadata: { name: 'other' }, spec: { vmiName: 'another' } },
    ],
  },
};
const failure = (code: number, message: string) => Object.assign(new Error(message), { code });

/** An API server with those objects, and what is asked of it. */
function world(more: Record<string, unknown> = {}, date?: Date) {
  const asked: string[] = [];
  const get: Get = async (path, query) => {
    asked.push([path, ...Object.values(query)].join(' '));
    const body = { ...objects, ...more }[path];
    if (body instanceof Error) throw body;
    if (body === undefined) {
      if (path.endsWith('/events')) return { body: { items: [] }, date };
      throw failure(404, `${path} not found`);
    }
    return { body, date };
  };
  const read = async (product: Parameters<typeof readKubernetes>[0]['product'] = { namespace: 'yagura' }) =>
    readKubernetes({ get, target, product, reader: 'virt-api', now: () => now });
  return { read, asked };
}

async function said(
  more: Record<string, unknown> = {},
  date?: Date,
  product?: { namespace: undefined; error: string },
) {
  const reading = await world(more, date).read(product);
  if (reading === undefined) throw new Error('nothing was read');
  const at = reading.clock.now();
  return kubernetesLayer(reading.view, at).map(
    ({ layer, field, value, freshness, error }) =>
      `${layer} ${field}: ${JSON.stringify(value)} ${freshness}${error ? ` ${error}` : ''}`,
  );
}

test('claims, migrations, active pods and leases are read, each as it is', async () => {
  expect(await said()).toEqual(
    expect.arrayContaining([
      'kubernetes vm.printableStatus: "no such object" live',
      'kubernetes vmi.activePods: ["virt-launcher-vm on n1","Q on n2"] live',
      'kubernetes pvc.data: "Pending" live',
      'kubernetes pvc.lost: "no such object" live',
      'kubernetes pvc.made: "not there yet: its DataVolume makes it" live',
      'migration object.mine: "Failed: died" live',
      'node lease: "2026-01-01T00:00:00Z" live',
    ]),
  );
  expect((await said()).filter((line) => line.includes('other'))).toEqual([]);
});

test('a lease is as old as the API server says, not as its holder’s clock or ours', async () => {
  const hourAgo = new Date(now.getTime() - 3_600_000);
  const old = { ...lease, metadata: { managedFields: [{ time: '2025-12-31T23:09:58Z' }] } };
  const path = '/apis/coordination.k8s.io/v1/namespaces/yagura/leases/virt-handler-n1';
  expect(await said({ [path]: old }, hourAgo)).toContain('node lease: "2026-01-01T00:00:00Z" live');
  expect(await said({ [path]: old }, hourAgo)).toContain('kubernetes clock: "2026-01-01T00:10:00.000Z" live');
  expect(await said({ [path]: old })).toContain('node lease: "2026-01-01T00:00:00Z" stale');
});

test('what cannot be read costs only itself', async () => {
  const lines = await said({
    '/api/v1/namespaces/ns/persistentvolumeclaims/data': failure(403, 'forbidden'),
    '/api/v1/nodes/n1': failure(403, 'forbidden'),
    '/api/v1/namespaces/ns/events': failure(500, 'etcd'),
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      'kubernetes pvc.data: null never forbidden',
      'kubernetes node.ready: null never forbidden',
      'kubernetes events: null never etcd',
      'kubernetes vmi.phase: "Running" live',
    ]),
  );
});

test('without the product’s namespace there is no lease to see, and that is said', async () => {
  expect(await said({}, undefined, { namespace: undefined, error: 'forbidden' })).toContain(
    'node lease: null never forbidden',
  );
});

test('events are those of the machine, its pods, and claims that wait; a reason is told once, the newest first', async () => {
  const { read, asked } = world();
  await read();
  expect(asked.filter((path) => path.includes('/events'))).toEqual(
    expect.arrayContaining(
      ['vm', 'virt-launcher-vm', 'data'].map((name) => `/api/v1/namespaces/ns/events involvedObject.name=${name}`),
    ),
  );
  const event = (kind: string, reason: string, lastTimestamp: string, message: string, count = 1) => ({
    involvedObject: { kind, uid: kind === 'PersistentVolumeClaim' ? 'C' : 'U' },
    type: 'Warning',
    reason,
    message,
    count,
    lastTimestamp,
  });
  const items = [
    event('VirtualMachineInstance', 'SyncFailed', '2026-01-01T00:01:00Z', 'first', 2),
    event('VirtualMachineInstance', 'SyncFailed', '2026-01-01T00:02:00Z', 'second'),
    event('PersistentVolumeClaim', 'ProvisioningFailed', '2026-01-01T00:03:00Z', 'no such class'),
  ];
  const lines = await said({ '/api/v1/namespaces/ns/events': { items } });
  const events = lines.filter((line) => line.startsWith('kubernetes event.'));
  // All three lookups answer the same here, so each counts thrice.
  expect(events).toEqual([
    'kubernetes event.pvc.ProvisioningFailed: "Warning (3 times): no such class" live',
    'kubernetes event.vmi.SyncFailed: "Warning (9 times): second" live',
  ]);
  expect(lines).toContain('kubernetes pvc.data: "Pending: ProvisioningFailed: no such class" live');
});

test('a list that is cut says so', async () => {
  const items = Array.from({ length: 20 }, (_, index) => ({
    involvedObject: { kind: 'Pod' },
    reason: `Reason${index}`,
    message: 'x'.repeat(500),
    lastTimestamp: '2026-01-01T00:01:00Z',
  }));
  const lines = await said({ '/api/v1/namespaces/ns/events': { items } });
  expect(lines.filter((line) => line.startsWith('kubernetes event.'))).toHaveLength(12);
  expect(lines).toContain('kubernetes events: "12 of 20" live');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(300);
});

test('neither machine nor instance: nothing to report', async () => {
  expect(
    await world({ '/apis/kubevirt.io/v1/namespaces/ns/virtualmachineinstances/vm': undefined }).read(),
  ).toBeUndefined();
});
