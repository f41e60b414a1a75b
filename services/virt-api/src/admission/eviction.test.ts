import { kubevirtConfig, type Pod, type VirtualMachineInstance } from '@yagura/api';
import type { ClusterObjects } from './cluster-objects.ts';
import { validateEviction } from './eviction.ts';
import type { AdmissionRequest } from './review.ts';

const pod: Pod = {
  metadata: { name: 'virt-launcher-x', namespace: 'ns', uid: 'p' },
  spec: { nodeName: 'a', containers: [] },
  status: { phase: 'Running' },
};
const vmi: VirtualMachineInstance = {
  metadata: { name: 'x', namespace: 'ns', uid: 'u' },
  spec: { domain: { devices: {} }, evictionStrategy: 'External' },
  status: { nodeName: 'a' },
};
const request = (more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  uid: 'r',
  operation: 'CREATE',
  namespace: 'ns',
  name: 'virt-launcher-x',
  userInfo: {},
  ...more,
});

function world(more: Partial<ClusterObjects> = {}) {
  const marks: string[] = [];
  const cluster: ClusterObjects = {
    pod: async () => pod,
    vmi: async () => vmi,
    instanceOf: async () => vmi,
    migrationsOf: async () => [],
    markForEvacuation: async ({ metadata }, node) => {
      marks.push(`${metadata.name} ${node}`);
    },
    ...more,
  };
  return { marks, validate: validateEviction(cluster, () => kubevirtConfig(undefined)) };
}

test('a guest that is to move first is marked, and the drain asked to come again', async () => {
  const { marks, validate } = world();
  expect(await validate(request())).toEqual({
    allowed: false,
    code: 429,
    message: 'Eviction triggered evacuation of VMI "ns/x"',
  });
  expect(marks).toEqual(['x a']);
});

test('a dry run marks nothing', async () => {
  const { marks, validate } = world();
  expect(await validate(request({ dryRun: true }))).toMatchObject({ code: 429 });
  expect(marks).toEqual([]);
});

test.each<[string, Partial<ClusterObjects>]>([
  ['a pod that is gone', { pod: async () => undefined }],
  ['a pod of nobody', { instanceOf: async () => undefined }],
])('%s passes', async (_what, cluster) => {
  expect(await world(cluster).validate(request())).toEqual({ allowed: true });
});

test('what cannot be found out is asked again, and nothing is evicted meanwhile', async () => {
  const { validate } = world({ pod: async () => Promise.reject(new Error('no answer')) });
  expect(await validate(request())).toMatchObject({
    allowed: false,
    code: 429,
    message: expect.stringContaining('no answer'),
  });
});
