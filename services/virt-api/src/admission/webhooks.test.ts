import { kubevirtConfig, type VirtualMachineInstance } from '@yagura/api';
import type { AdmissionRequest, Verdict } from './review.ts';
import { webhooks } from './webhooks.ts';

const created: string[] = [];
const config = kubevirtConfig({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { network: { defaultNetworkInterface: 'masquerade' } } },
});
const hooks = webhooks({
  namespace: 'yagura',
  config: () => config,
  cluster: {
    pod: async () => undefined,
    vmi: async (_namespace, name) =>
      name === 'runs'
        ? { metadata: { name }, spec: { domain: { devices: {} } }, status: { phase: 'Running' } }
        : undefined,
    instanceOf: async () => undefined,
    migrationsOf: async () => [],
    markForEvacuation: async () => {},
  },
  onVmCreated: (namespace) => created.push(namespace),
  uuid: () => '11111111-2222-4333-8444-555555555555',
  now: () => '2026-01-02T03:04:05Z',
});
const spec = () => ({
  domain: {
    memory: { guest: '128Mi' },
    devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
  },
  volumes: [{ name: 'root', containerDisk: { image: 'registry/guest:1' } }],
});
const vmi = (change: object = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'vm', namespace: 'ns', uid: 'U' },
  spec: spec(),
  ...change,
});
const vm = (change: object = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'vm', namespace: 'ns' },
  spec: { runStrategy: 'Always', template: { spec: spec() }, ...change },
});
const request = (object: unknown, more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  uid: 'r',
  operation: 'CREATE',
  namespace: 'ns',
  userInfo: { username: 'jane' },
  object: object as AdmissionRequest['object'] & object,
  ...more,
});
const patchOf = (verdict: Verdict) => ('patch' in verdict ? (verdict.patch ?? []) : []);
const causesOf = (verdict: Verdict) => ('causes' in verdict ? verdict.causes.map((cause) => cause.field) : []);

describe('virtualmachines-mutate', () => {
  test('gives a new VM its machine type, architecture and identity', () => {
    expect(patchOf(hooks['/virtualmachines-mutate'](request(vm())))).toEqual(
      expect.arrayContaining([
        { op: 'add', path: '/spec/template/spec/architecture', value: 'amd64' },
        { op: 'add', path: '/spec/template/spec/domain/machine', value: { type: 'q35' } },
      ]),
    );
  });

  test('keeps the identity when a manifest without one is applied again', () => {
    const old = vm();
    const identity = { uuid: 'kept', serial: 'kept too' };
    const stored = {
      ...old,
      spec: { ...old.spec, template: { spec: { ...spec(), domain: { ...spec().domain, firmware: identity } } } },
    };
    const verdict = hooks['/virtualmachines-mutate'](
      request(vm(), { operation: 'UPDATE', oldObject: stored as unknown as AdmissionRequest['object'] & object }),
    );
    expect(patchOf(verdict)).toContainEqual({
      op: 'add',
      path: '/spec/template/spec/domain/firmware',
      value: identity,
    });
  });

  test('leaves a structurally wrong VM to the API server', () => {
    expect(hooks['/virtualmachines-mutate'](request(vm({ template: { spec: { domain: 'no' } } })))).toEqual({
      allowed: true,
    });
  });
});

describe('virtualmachines-validate', () => {
  test('admits a good VM and counts it, but not a dry run', () => {
    created.length = 0;
    expect(hooks['/virtualmachines-validate'](request(vm()))).toMatchObject({ allowed: true });
    hooks['/virtualmachines-validate'](request(vm(), { dryRun: true }));
    expect(created).toEqual(['ns']);
  });

  test('warns of spec.running', () => {
    const verdict = hooks['/virtualmachines-validate'](request(vm({ running: true, runStrategy: undefined })));
    expect(verdict).toMatchObject({ allowed: true, warnings: [expect.stringContaining('spec.running')] });
  });

  test.each([
    ['a missing template', vm({ template: undefined }), 'spec.template'],
    [
      'an unknown bus',
      vm({
        template: {
          spec: {
            ...spec(),
            domain: { ...spec().domain, devices: { disks: [{ name: 'root', disk: { bus: 'floppy' } }] } },
          },
        },
      }),
      'spec.template.spec.domain.devices.disks[0].disk.bus',
    ],
    [
      'a negative grace period',
      vm({ template: { spec: { ...spec(), terminationGracePeriodSeconds: -1 } } }),
      'spec.template.spec.terminationGracePeriodSeconds',
    ],
  ])('refuses %s and names the field', (_what, object, field) => {
    expect(causesOf(hooks['/virtualmachines-validate'](request(object)))).toContain(field);
  });
});

describe('virtualmachineinstances-mutate', () => {
  test('a status given at creation is not kept', () => {
    const verdict = hooks['/virtualmachineinstances-mutate'](
      request(vmi({ status: { phase: 'Running', nodeName: 'n' } })),
    );
    expect(patchOf(verdict)).toEqual(
      expect.arrayContaining([
        { op: 'replace', path: '/status/phase', value: 'Pending' },
        { op: 'remove', path: '/status/nodeName' },
      ]),
    );
  });

  const old = vmi({ status: { phase: 'Running' } }) as unknown as AdmissionRequest['object'] & object;
  test.each([
    ['jane', { phase: 'Succeeded' }, [{ op: 'replace', path: '/status/phase', value: 'Running' }]],
    ['jane', undefined, [{ op: 'add', path: '/status', value: { phase: 'Running' } }]],
    [
      'system:serviceaccount:other:kubevirt-handler',
      { phase: 'Failed' },
      [{ op: 'replace', path: '/status/phase', value: 'Running' }],
    ],
    ['system:serviceaccount:yagura:kubevirt-handler', { phase: 'Succeeded' }, []],
  ])('an update by %s of the status to %j is patched by %j', (username, status, patch) => {
    const verdict = hooks['/virtualmachineinstances-mutate'](
      request(vmi({ status }), { operation: 'UPDATE', oldObject: old, userInfo: { username } }),
    );
    expect(patchOf(verdict)).toEqual(patch);
  });
});

describe('virtualmachineinstances-validate', () => {
  test('reserved labels are for the product', () => {
    const labelled = vmi({ metadata: { name: 'vm', namespace: 'ns', labels: { 'kubevirt.io/nodeName': 'n' } } });
    const byUser = hooks['/virtualmachineinstances-validate-create'](request(labelled));
    expect(causesOf(byUser)).toEqual(['metadata.labels[kubevirt.io/nodeName]']);
    const product = { username: 'system:serviceaccount:yagura:kubevirt-controller' };
    expect(hooks['/virtualmachineinstances-validate-create'](request(labelled, { userInfo: product }))).toEqual({
      allowed: true,
    });
  });

  test('a changed spec is refused', () => {
    const changed = vmi() as unknown as VirtualMachineInstance;
    const verdict = hooks['/virtualmachineinstances-validate-update'](
      request(
        { ...changed, spec: { ...changed.spec, terminationGracePeriodSeconds: 5 } },
        { operation: 'UPDATE', oldObject: vmi() },
      ),
    );
    expect(verdict).toMatchObject({
      allowed: false,
      causes: [{ field: 'spec', message: expect.stringContaining('update of VMI object is restricted') }],
    });
  });
});

describe('migrations', () => {
  const migration = (spec: object, labels: object = {}) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'm', namespace: 'ns', labels },
    spec,
  });

  test('get the label that finds them and the finalizer that holds them', () => {
    expect(patchOf(hooks['/migration-mutate-create'](request(migration({ vmiName: 'x' }))))).toEqual([
      { op: 'add', path: '/metadata/labels/kubevirt.io~1vmi-name', value: 'x' },
      { op: 'add', path: '/metadata/finalizers', value: ['kubevirt.io/migrationJobFinalize'] },
    ]);
  });

  test.each([
    ['without an instance', migration({}), { causes: [expect.objectContaining({ field: 'spec.vmiName' })] }],
    [
      'with a priority',
      migration({ vmiName: 'runs', priority: 'system-critical' }),
      { causes: [expect.objectContaining({ field: 'spec.priority', reason: 'FieldValueForbidden' })] },
    ],
    ['of what does not exist', migration({ vmiName: 'x' }), { message: expect.stringContaining('does not exist') }],
    [
      'that could be',
      migration({ vmiName: 'runs' }),
      { message: expect.stringContaining('not supported by this version') },
    ],
    ['that is none', { metadata: {}, spec: 7 }, { causes: [expect.objectContaining({ field: 'spec' })] }],
  ])('%s are refused', async (_what, object, verdict) => {
    expect(await hooks['/migration-validate-create'](request(object))).toMatchObject({ allowed: false, ...verdict });
  });

  test('keep their spec', () => {
    const oldObject = migration({ vmiName: 'x' }) as unknown as AdmissionRequest['object'] & object;
    const update = (object: object) =>
      hooks['/migration-validate-update'](request(object, { operation: 'UPDATE', oldObject }));
    expect(causesOf(update(migration({ vmiName: 'y' })))).toEqual(['spec']);
    expect(update(migration({ vmiName: 'x' }, { mine: 'x' }))).toEqual({ allowed: true });
  });
});
