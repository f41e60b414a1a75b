import { kubectl, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import type { tinySpec } from './support/machines.ts';
import {
  apply,
  condition,
  eventsOf,
  freshNamespace,
  getVm,
  getVmi,
  launcherPod,
  tinyVm,
  tinyVmi,
} from './support/machines.ts';

const ns = 'e2e-admission';

beforeAll(async () => {
  await freshNamespace(ns);
});

type Spec = ReturnType<typeof tinySpec>;

/** The tiny instance with its spec changed for the worse. */
function broken(change: (spec: Spec) => void) {
  const vmi = tinyVmi(ns, 'broken');
  const spec: Spec = structuredClone<Spec>(vmi.spec);
  change(spec);
  return { ...vmi, spec };
}

test.each<[string, (spec: Spec) => void, string]>([
  ['no memory', (spec) => delete spec.domain.memory, 'spec.domain.resources'],
  ['a disk without its volume', (spec) => (spec.volumes = []), 'spec.domain.devices.disks[0].name'],
  [
    'an unknown bus',
    (spec) => Object.assign(spec.domain.devices.disks?.[0] ?? {}, { disk: { bus: 'floppy' } }),
    'spec.domain.devices.disks[0]',
  ],
  [
    'a negative grace period',
    (spec) => (spec.terminationGracePeriodSeconds = -1),
    'spec.terminationGracePeriodSeconds',
  ],
  [
    'two disks of one name',
    (spec) => spec.domain.devices.disks?.push({ name: 'root', disk: { bus: 'virtio' } }),
    'spec.domain.devices.disks[1].name',
  ],
])('%s is refused with the field named', async (_what, change, field) => {
  const { code, stderr } = await tryKubectl(broken(change), 'apply', '-f', '-');
  expect(code).not.toBe(0);
  expect(stderr).toContain(field);
});

test('a misspelt field is refused as for a built-in type', async () => {
  const vmi = tinyVmi(ns, 'misspelt');
  Object.assign(vmi.spec.domain, { memroy: { guest: '1Gi' } });
  const { code, stderr } = await tryKubectl(vmi, 'apply', '-f', '-');
  expect(code).not.toBe(0);
  expect(stderr).toContain('unknown field "spec.domain.memroy"');
});

test('a machine whose template is bad is refused with the field in the template', async () => {
  const vm = tinyVm(ns, 'broken', 'Always', { volumes: [] });
  const { code, stderr } = await tryKubectl(vm, 'apply', '-f', '-');
  expect(code).not.toBe(0);
  expect(stderr).toContain('spec.template.spec.domain.devices.disks[0].name');
});

test('many faults are told at once, ten of them by name', async () => {
  const volumes = Array.from({ length: 13 }, (_, index) => ({ name: `Bad ${index}`, emptyDisk: { capacity: '1Gi' } }));
  const { code, stderr } = await tryKubectl(tinyVmi(ns, 'many', { volumes }), 'create', '-f', '-');
  expect(code).not.toBe(0);
  // kubectl lists the causes, ten of them, and drops the message that counts the others.
  expect(stderr.split('\n').filter((line) => line.startsWith('* '))).toHaveLength(10);
});

test('a dry run keeps nothing', async () => {
  const { code, stdout } = await tryKubectl(
    tinyVm(ns, 'dry', 'Halted'),
    'create',
    '--dry-run=server',
    '-o',
    'json',
    '-f',
    '-',
  );
  expect(code).toBe(0);
  // Defaults are shown all the same.
  expect(stdout).toContain('"machine"');
  expect(await getVm(ns, 'dry')).toBeUndefined();
});

test('labels that route an instance are for the product', async () => {
  const vm = tinyVm(ns, 'routed', 'Halted');
  Object.assign(vm.spec.template.metadata, { labels: { 'kubevirt.io/nodeName': 'node-1' } });
  const { code, stderr } = await tryKubectl(vm, 'create', '-f', '-');
  expect(code).not.toBe(0);
  expect(stderr).toContain('spec.template.metadata.labels[kubevirt.io/nodeName]');
});

test('a migration is refused with the reason, its mistakes first', async () => {
  const migration = (spec: object) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { namespace: ns, name: 'm' },
    spec,
  });
  expect((await tryKubectl(migration({}), 'create', '-f', '-')).stderr).toContain('spec.vmiName is missing');
  expect((await tryKubectl(migration({ vmiName: 'nobody' }), 'create', '-f', '-')).stderr).toContain('does not exist');
});

test('a pod of somebody else is evicted without a word from virt-api; a guest that may be evicted is', async () => {
  const eviction = (name: string) => ({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace: ns, name },
    deleteOptions: { dryRun: ['All'] },
  });
  const evict = (name: string) =>
    tryKubectl(eviction(name), 'create', '--raw', `/api/v1/namespaces/${ns}/pods/${name}/eviction`, '-f', '-');
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: ns, name: 'somebody' },
    spec: { nodeSelector: { no: 'where' }, containers: [{ name: 'a', image: 'a' }] },
  };
  await apply(pod);
  await apply({ ...pod, metadata: { namespace: ns, name: 'virt-launcher-orphan' } });
  expect(await evict('somebody')).toMatchObject({ code: 0 });
  expect(await evict('virt-launcher-orphan')).toMatchObject({ code: 0 });
  await kubectl('-n', ns, 'delete', 'pod', '--all', '--force', '--grace-period=0');
});

test('the spec of an instance cannot be changed', async () => {
  await apply(tinyVmi(ns, 'fixed'));
  const { code, stderr } = await tryKubectl(
    undefined,
    '-n',
    ns,
    'patch',
    'vmi',
    'fixed',
    '--type=merge',
    '-p',
    '{"spec":{"domain":{"memory":{"guest":"256Mi"}}}}',
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain('restricted');
});

test('the status of an instance cannot be written by a user', async () => {
  await kubectl('-n', ns, 'patch', 'vmi', 'fixed', '--type=merge', '-p', '{"status":{"phase":"Succeeded"}}').catch(
    () => '',
  );
  expect((await getVmi(ns, 'fixed'))?.status?.phase).not.toBe('Succeeded');
  await kubectl('-n', ns, 'delete', 'vmi', 'fixed', '--timeout=60s');
}, 90_000);

test('a containerDisk that does not exist: a clear condition and event, and no crash loop', async () => {
  const image = 'localhost/yagura/no-such-disk:dev';
  await apply(
    tinyVmi(ns, 'imageless', {
      volumes: [{ name: 'root', containerDisk: { image, imagePullPolicy: 'Never' } }],
    }),
  );
  const vmi = await eventually('condition Synchronized is False', 60_000, async () => {
    const now = await getVmi(ns, 'imageless');
    return condition(now, 'Synchronized')?.status === 'False' ? now : undefined;
  });
  expect(condition(vmi, 'Synchronized')?.message).toContain(image);
  const pod = await launcherPod(vmi);
  expect(
    (await eventsOf(ns, 'imageless')).some((event) => event.type === 'Warning' && event.message.includes(image)),
  ).toBe(true);
  expect((pod.status?.containerStatuses ?? []).reduce((sum, each) => sum + each.restartCount, 0)).toBe(0);
  await kubectl('-n', ns, 'delete', 'vmi', 'imageless', '--timeout=60s');
}, 120_000);

test('kubectl explain says what an interface is', async () => {
  const text = await kubectl('explain', 'vmi.spec.domain.devices.interfaces');
  expect(text).toContain('masquerade');
  expect(text).not.toContain('<empty>');
});
