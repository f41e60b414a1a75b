import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { kubevirtConfig, launcherVmi, renderLauncherPod, type VirtualMachineInstance } from '@yagura/api';
import fc from 'fast-check';
import { INSTANCES, MACHINES } from '../../../../libs/api/src/testing/manifests.ts';
import { mutated } from '../../../../libs/api/src/testing/mutations.ts';
import { VirtualMachineInstanceSchema } from '../../../../libs/contracts/src/gen/yagura/launcher/v1/vmi_pb.js';
import { buildDomainXml, type ConversionOptions, convert, parseDomainXml } from '../../../../libs/domain/src/index.ts';
import { applyPatch } from '../testing/apply-patch.ts';
import { type AdmissionRequest, reviewOf, type Verdict, type Webhook } from './review.ts';
import { webhooks } from './webhooks.ts';

const RUNS = Number(process.env['MUTATIONS'] ?? 400);

const config = kubevirtConfig({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { developerConfiguration: { useEmulation: true, featureGates: ['HostDisk'] } } },
});
const nothing = async () => undefined;
const hooks = webhooks({
  namespace: 'yagura',
  config: () => config,
  cluster: {
    pod: nothing,
    vmi: nothing,
    instanceOf: nothing,
    migrationsOf: async () => [],
    markForEvacuation: nothing,
  },
  uuid: () => '11111111-2222-4333-8444-555555555555',
  now: () => '2026-01-02T03:04:05Z',
});

function request(object: object, old?: object): AdmissionRequest {
  return {
    uid: 'r',
    operation: old ? 'UPDATE' : 'CREATE',
    namespace: 'ns',
    userInfo: { username: 'jane' },
    object: object,
    ...(old ? { oldObject: old } : {}),
  };
}

/** What the API server does: the mutator's patch, then the validator's word. */
function admit<T extends object>(
  object: T,
  mutate: Webhook,
  validate: Webhook,
  old?: T,
): { after: T; verdict: Verdict } {
  const mutation = mutate(request(object, old));
  expect(mutation.allowed).toBe(true);
  const after = 'patch' in mutation && mutation.patch ? applyPatch(object, mutation.patch) : object;
  const verdict = validate(request(after, old));
  // The answer can be sent, and says what is wrong.
  const { response } = JSON.parse(JSON.stringify(reviewOf('r', verdict))) as {
    response: { allowed: boolean; status?: { message: string; code: number } };
  };
  if (!response.allowed) {
    expect(response.status?.code).toBe(422);
    expect(response.status?.message).not.toBe('');
  }
  return { after, verdict };
}

/** Everything that is made of an instance before its guest runs; throws where one of the makers refuses it. */
function realise(accepted: VirtualMachineInstance): void {
  const vmi = { ...accepted, metadata: { ...accepted.metadata, name: 'x', namespace: 'ns', uid: 'u' } };
  expect(renderLauncherPod(vmi, config, { image: 'launcher', podName: 'p' }).spec.containers.length).toBeGreaterThan(0);
  const message = fromJson(VirtualMachineInstanceSchema, launcherVmi(vmi) as unknown as JsonValue, {
    ignoreUnknownFields: true,
  });
  const received = toJson(VirtualMachineInstanceSchema, message) as unknown as VirtualMachineInstance;
  const names = [...(vmi.spec.volumes ?? []), ...(vmi.spec.domain.devices.disks ?? [])].map(({ name }) => name);
  const options: ConversionOptions = {
    accelerator: 'tcg',
    privateDirectory: '/p',
    disks: new Map(names.map((name) => [name, { file: `/d/${name}`, format: 'raw' }])),
    interfaces: (vmi.spec.networks ?? []).map(({ name }, index) => ({ name, tapDevice: `tap${index}` })),
    kernelBoot: { kernelPath: '/k' },
    firmwareDirectory: '/usr/share/OVMF',
  };
  expect(parseDomainXml(buildDomainXml(convert(received, options)))).toBeDefined();
}

test('a spoilt instance is refused with a reason, or can be run', () => {
  let accepted = 0;
  fc.assert(
    fc.property(mutated(INSTANCES), (vmi) => {
      const { after, verdict } = admit(
        vmi,
        hooks['/virtualmachineinstances-mutate'],
        hooks['/virtualmachineinstances-validate-create'],
      );
      if (!verdict.allowed) return;
      accepted++;
      realise(after);
    }),
    { numRuns: RUNS },
  );
  // Else nothing is shown about what is accepted.
  expect(accepted).toBeGreaterThan(RUNS / 20);
});

test('what is not spoilt is accepted', () => {
  for (const vmi of INSTANCES) {
    const { after, verdict } = admit(
      vmi,
      hooks['/virtualmachineinstances-mutate'],
      hooks['/virtualmachineinstances-validate-create'],
    );
    expect(verdict).toEqual({ allowed: true });
    realise(after);
  }
});

test('a spoilt update of an instance is answered', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCES), mutated(INSTANCES), (old, vmi) => {
      admit(vmi, hooks['/virtualmachineinstances-mutate'], hooks['/virtualmachineinstances-validate-update'], old);
    }),
    { numRuns: RUNS / 5 },
  );
});

test('a spoilt virtual machine is refused with a reason, or its instances can be run', () => {
  const mutateVm = hooks['/virtualmachines-mutate'];
  fc.assert(
    fc.property(fc.option(fc.constantFrom(...MACHINES), { nil: undefined }), mutated(MACHINES), (old, vm) => {
      const { after, verdict } = admit(vm, mutateVm, hooks['/virtualmachines-validate'], old);
      if (!verdict.allowed) return;
      const { spec, metadata } = after.spec.template;
      const instance = { metadata: { name: 'x', ...metadata }, spec } as VirtualMachineInstance;
      const started = admit(
        instance,
        hooks['/virtualmachineinstances-mutate'],
        hooks['/virtualmachineinstances-validate-create'],
      );
      // What is let in as a machine must not turn out to be wrong at its start, when nobody is there to be told.
      if (!old) expect(started.verdict).toEqual({ allowed: true });
      realise(started.after);
    }),
    { numRuns: RUNS / 2 },
  );
});

test('a spoilt migration is refused with a reason', async () => {
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'm', namespace: 'ns' },
    spec: { vmiName: 'x', addedNodeSelector: { a: 'b' }, receive: { migrationID: 'i' } },
  };
  await fc.assert(
    fc.asyncProperty(mutated([migration]), async (object) => {
      expect(hooks['/migration-mutate-create'](request(object)).allowed).toBe(true);
      expect((await hooks['/migration-validate-create'](request(object))).allowed).toBe(false);
      hooks['/migration-validate-update'](request(object, migration));
    }),
    { numRuns: 200 },
  );
});
