import type { DataVolume, PersistentVolumeClaim, VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { type EventRecorder, KubeError, type KubeObject, silentLogger } from '@yagura/kube';
import { FakeClock } from '@yagura/kube/testing';
import { Caches } from '../caches.ts';
import { ApiServer } from '../testing/api-server.ts';
import { vmOf } from '../testing/objects.ts';
import { VmController } from './vm-controller.ts';

const NAME = { namespace: 'n', name: 'demo' };

/** The controller of virtual machines over a small API server. */
function setUp(vm: VirtualMachine) {
  const server = new ApiServer();
  const caches = new Caches(server.client, 'yagura', () => {});
  const told: string[] = [];
  const tell = (_subject: object, reason: string, message: string) => told.push(`${reason}: ${message}`);
  const events = { normal: tell, warning: tell } as unknown as EventRecorder;
  const clock = new FakeClock();
  const options = { client: server.client, caches, events, clock, uuid: () => 'uuid', random: () => 0 };
  const controller = new VmController(options);
  const pass = () => {
    caches.vms.store.replace(server.all<VirtualMachine>('virtualmachines'));
    caches.vmis.store.replace(server.all<VirtualMachineInstance>('virtualmachineinstances'));
    caches.claims.store.replace(server.all<PersistentVolumeClaim>('persistentvolumeclaims'));
    return controller.reconcile(NAME, { log: silentLogger, signal: new AbortController().signal, failures: 0 });
  };
  server.put('virtualmachines', vm);
  const stored = () => server.all<VirtualMachine>('virtualmachines')[0] as VirtualMachine;
  const instance = () => server.all<VirtualMachineInstance>('virtualmachineinstances')[0];
  /** A change of the spec by its user. */
  const change = (edit: (spec: VirtualMachine['spec']) => void) => {
    const next = structuredClone(stored());
    edit(next.spec);
    next.metadata.generation = (next.metadata.generation ?? 0) + 1;
    server.put('virtualmachines', next);
  };
  return { server, told, pass, stored, instance, change };
}

const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata?.name);
const conditionOf = (vm: VirtualMachine, type: string) => vm.status?.conditions?.find((each) => each.type === type);

function refuse(server: ApiServer, method: 'create' | 'delete' | 'patch', plural: string, error: KubeError): void {
  const inner = server[method].bind(server) as (...args: unknown[]) => Promise<KubeObject>;
  Object.assign(server, {
    [method]: (...args: unknown[]) =>
      (args[0] as { plural: string }).plural === plural ? Promise.reject(error) : inner(...args),
  });
}

test('an instance names the revision it was made from, and an unchanged machine starts again from the same', async () => {
  const { server, pass, instance, stored } = setUp(vmOf('Always'));
  await pass();
  const first = instance();
  const [revision] = server.all<KubeObject & { data: object; revision: number }>('controllerrevisions');
  expect(revision).toMatchObject({
    metadata: { name: 'revision-start-vm-vm-uid-3', ownerReferences: [{ kind: 'VirtualMachine', uid: 'vm-uid' }] },
    data: { spec: stored().spec },
    revision: 3,
  });
  expect(first?.status?.virtualMachineRevisionName).toBe('revision-start-vm-vm-uid-3');
  server.remove('virtualmachineinstances', NAME);
  await pass();
  expect(instance()?.metadata.uid).not.toBe(first?.metadata.uid);
  expect(server.calls.filter((call) => call === 'create controllerrevisions')).toHaveLength(1);
});

test('an instance that our view does not have yet keeps what it was started from', async () => {
  const { server, pass, instance, change } = setUp(vmOf('Always'));
  await pass();
  const running = instance() as VirtualMachineInstance;
  change((spec) => (spec.template.spec.hostname = 'other'));
  const all = server.all.bind(server);
  Object.assign(server, {
    all: (plural: string) => (plural === 'virtualmachineinstances' ? [] : all(plural)),
  });
  await pass();
  Object.assign(server, { all });
  expect(instance()?.metadata.uid).toBe(running.metadata.uid);
  expect(names(server.all('controllerrevisions'))).toContain(running.status?.virtualMachineRevisionName);
});

test('a start after a change keeps its own revision alone', async () => {
  const { server, pass, change } = setUp(vmOf('Always'));
  await pass();
  change(({ template }) => (template.spec.domain.cpu = { cores: 2 }));
  server.remove('virtualmachineinstances', NAME);
  await pass();
  expect(names(server.all('controllerrevisions'))).toEqual(['revision-start-vm-vm-uid-4']);
});

test('a changed template asks for a restart, until it is taken back', async () => {
  const { pass, change, stored, instance } = setUp(vmOf('Always'));
  await pass();
  change(({ template }) => (template.spec.domain.cpu = { cores: 2 }));
  await pass();
  expect(conditionOf(stored(), 'RestartRequired')).toMatchObject({
    status: 'True',
    message: expect.stringContaining('domain.cpu'),
  });
  expect(stored().status).toMatchObject({ observedGeneration: 3, desiredGeneration: 4 });
  change(({ template }) => delete template.spec.domain.cpu);
  await pass();
  expect(conditionOf(stored(), 'RestartRequired')).toBeUndefined();
  expect(stored().status).toMatchObject({ observedGeneration: 5, desiredGeneration: 5 });
  expect(instance()?.metadata.annotations?.['kubevirt.io/vm-generation']).toBe('5');
});

test('a running instance follows the node selector, and what it cannot take is a failure with its own reason', async () => {
  const { server, told, pass, change, stored, instance } = setUp(vmOf('Always'));
  await pass();
  change(({ template }) => (template.spec.nodeSelector = { zone: 'b' }));
  await pass();
  expect(instance()?.spec.nodeSelector).toEqual({ zone: 'b' });
  expect(conditionOf(stored(), 'RestartRequired')).toBeUndefined();
  refuse(server, 'patch', 'virtualmachineinstances', new KubeError({ code: 403, message: 'no' }, 'patch'));
  change(({ template }) => (template.spec.tolerations = [{ operator: 'Exists' }]));
  expect(await pass()).toEqual({ requeueAfterMs: 30_000 });
  expect(conditionOf(stored(), 'Failure')).toMatchObject({ reason: 'TolerationsChangeError' });
  expect(told.at(-1)).toMatch(/^TolerationsChangeError/);
});

test('a volume that cannot be plugged is a failure of that name', async () => {
  const { server, told, pass, change, stored } = setUp(vmOf('Always'));
  await pass();
  refuse(server, 'patch', 'virtualmachineinstances', new KubeError({ code: 403, message: 'no' }, 'patch'));
  change(({ template }) => {
    template.spec.volumes = [{ name: 'extra', persistentVolumeClaim: { claimName: 'extra', hotpluggable: true } }];
    template.spec.domain.devices.disks = [{ name: 'extra', disk: { bus: 'scsi' } }];
  });
  await pass();
  expect(conditionOf(stored(), 'Failure')).toMatchObject({ reason: 'HotPlugVolumeError' });
  expect(told.at(-1)).toMatch(/^HotPlugVolumeError/);
});

test('a stop changes nothing on the instance that goes', async () => {
  const { server, pass, change } = setUp(vmOf('Always'));
  await pass();
  change((spec) => (spec.runStrategy = 'Halted'));
  server.calls.length = 0;
  await pass();
  expect(server.calls).toEqual(['patch virtualmachines', 'delete virtualmachineinstances']);
});

test('a refused end is told, and tried again', async () => {
  const { server, told, pass, change, stored } = setUp(vmOf('Always'));
  await pass();
  change((spec) => (spec.runStrategy = 'Halted'));
  refuse(server, 'delete', 'virtualmachineinstances', new KubeError({ code: 403, message: 'protected' }, 'delete'));
  expect(await pass()).toEqual({ requeueAfterMs: 30_000 });
  expect(conditionOf(stored(), 'Failure')).toMatchObject({ reason: 'FailedDelete' });
  expect(told.at(-1)).toContain('protected');
});

describe('data volumes', () => {
  const withTemplate = (source: object = { blank: {} }): VirtualMachine => {
    const vm = vmOf('Always');
    vm.spec.dataVolumeTemplates = [{ metadata: { name: 'disk' }, spec: { source } }];
    vm.spec.template.spec.volumes = [{ name: 'root', dataVolume: { name: 'disk' } }];
    return vm;
  };
  const filled = (it: ReturnType<typeof setUp>, phase: string) => {
    const [volume] = it.server.all<DataVolume>('datavolumes');
    it.server.put('datavolumes', { ...volume, status: { phase } } as KubeObject);
  };

  test('are made first; the instance follows when they are ready', async () => {
    const it = setUp(withTemplate());
    expect(await it.pass()).toEqual({ requeueAfterMs: 5_000 });
    expect(it.server.all<DataVolume>('datavolumes')).toMatchObject([
      { metadata: { name: 'disk', ownerReferences: [{ uid: 'vm-uid' }] }, spec: { source: { blank: {} } } },
    ]);
    expect(it.stored().status?.printableStatus).toBe('Provisioning');
    expect(it.instance()).toBeUndefined();
    filled(it, 'Failed');
    expect(await it.pass()).toEqual({ requeueAfterMs: 30_000 });
    expect(it.stored().status?.printableStatus).toBe('DataVolumeError');
    filled(it, 'WaitForFirstConsumer');
    await it.pass();
    expect(it.instance()).toBeDefined();
    expect(it.told.map((text) => text.split(':')[0])).toEqual([
      'SuccessfulDataVolumeCreate',
      'FailedDataVolumeImport',
      'SuccessfulCreate',
    ]);
  });

  test('without CDI nothing can make them, and the machine says so', async () => {
    const it = setUp(withTemplate());
    const missing = new KubeError({ code: 404, reason: 'NotFound' }, 'create');
    refuse(it.server, 'create', 'datavolumes', missing);
    expect(await it.pass()).toEqual({ requeueAfterMs: 30_000 });
    expect(it.stored().status?.printableStatus).toBe('DataVolumeError');
    expect(conditionOf(it.stored(), 'Failure')?.message).toContain('CDI');
    expect(it.told).toEqual([expect.stringMatching(/^FailedDataVolumeCreate: .*not installed/)]);
  });

  test('a claim of that name is as good as a data volume', async () => {
    const it = setUp(withTemplate());
    it.server.put('persistentvolumeclaims', {
      ...{ status: { phase: 'Pending' } },
      metadata: { namespace: 'n', name: 'disk' },
    });
    await it.pass();
    expect(it.instance()).toBeDefined();
    expect(it.stored().status?.printableStatus).toBe('WaitingForVolumeBinding');
    expect(it.server.all('datavolumes')).toEqual([]);
  });

  test.each([true, false])('a copy from another namespace needs the right to it (allowed: %s)', async (allowed) => {
    const it = setUp(withTemplate({ pvc: { namespace: 'golden', name: 'image' } }));
    const create = it.server.create.bind(it.server);
    const asked: KubeObject[] = [];
    it.server.create = (resource, object) => {
      if (resource.plural !== 'subjectaccessreviews') return create(resource, object);
      asked.push(object);
      return Promise.resolve({ ...object, status: { allowed } } as KubeObject);
    };
    await it.pass();
    expect(asked).toMatchObject([
      {
        spec: {
          user: 'system:serviceaccount:n:default',
          resourceAttributes: { namespace: 'golden', name: 'image', resource: 'datavolumes', subresource: 'source' },
        },
      },
    ]);
    expect(it.server.all('datavolumes')).toHaveLength(allowed ? 1 : 0);
    expect(it.told.some((text) => /^SourcePVCNotAvailabe: Source PVC golden\/image/.test(text))).toBe(allowed);
    expect(it.told[0]).toMatch(allowed ? /^SuccessfulDataVolumeCreate/ : /^UnauthorizedDataVolumeCreate/);
  });
});

describe('an instance without an owner', () => {
  const disown = (it: ReturnType<typeof setUp>, edit: (vmi: VirtualMachineInstance) => void = () => {}) => {
    const vmi = structuredClone(it.instance() as VirtualMachineInstance);
    delete vmi.metadata.ownerReferences;
    edit(vmi);
    it.server.put('virtualmachineinstances', vmi);
  };
  const ownerOf = (it: ReturnType<typeof setUp>) => it.instance()?.metadata.ownerReferences?.[0]?.uid;

  test('is taken back by the machine that it came from, and an event tells it', async () => {
    const it = setUp(vmOf('Always'));
    await it.pass();
    const uid = it.instance()?.metadata.uid;
    disown(it, (vmi) => (vmi.metadata.finalizers = []));
    await it.pass();
    expect(it.instance()?.metadata).toMatchObject({
      uid,
      ownerReferences: [{ kind: 'VirtualMachine', uid: 'vm-uid', controller: true, blockOwnerDeletion: true }],
      finalizers: ['kubevirt.io/virtualMachineControllerFinalize'],
    });
    expect(it.told.filter((text) => text.startsWith('SuccessfulAdopt'))).toHaveLength(1);
    expect(conditionOf(it.stored(), 'Failure')).toBeUndefined();
  });

  test('that a user made by hand stays so, and the machine says what stands in its way', async () => {
    const it = setUp(vmOf('Always'));
    await it.pass();
    disown(it, (vmi) => (vmi.metadata.annotations = {}));
    await it.pass();
    expect(ownerOf(it)).toBeUndefined();
    expect(conditionOf(it.stored(), 'Failure')).toMatchObject({ reason: 'FailedCreate', status: 'True' });
  });

  test('is left alone by a machine that is deleted with orphans, also when only the API server knows that yet', async () => {
    const it = setUp(vmOf('Always'));
    await it.pass();
    disown(it);
    const { get } = it.server;
    it.server.get = async (...args) => {
      const found = await get.apply(it.server, args);
      return { ...found, metadata: { ...found.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    };
    await it.pass();
    expect(ownerOf(it)).toBeUndefined();
  });
});
