import type { VirtualMachineInstance } from '@yagura/api';
import fc from 'fast-check';
import { INSTANCES, MACHINES } from '../../../../libs/api/src/testing/manifests.ts';
import { mutated } from '../../../../libs/api/src/testing/mutations.ts';
import { admit, hooks, realise, request } from './pipeline.testing.ts';

const RUNS = Number(process.env['MUTATIONS'] ?? 400);

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
