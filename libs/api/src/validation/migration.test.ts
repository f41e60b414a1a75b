import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from '../types.ts';
import { migrationObjection, validateMigrationUpdate, validateNewMigration } from './migration.ts';

type Migration = VirtualMachineInstanceMigration;
const migration = (spec: Migration['spec'], labels = {}, phase?: string): Migration => ({
  metadata: { name: 'm', uid: 'm-uid', labels },
  spec,
  ...(phase ? { status: { phase: phase as 'Running' } } : {}),
});
const told = (causes: { reason: string; field: string }[]) => causes.map(({ reason, field }) => `${reason} ${field}`);

test.each<[string, Migration['spec'], boolean, string[]]>([
  ['a name', { vmiName: 'x' }, false, []],
  ['no name', {}, false, ['FieldValueRequired spec.vmiName']],
  ['a priority', { vmiName: 'x', priority: 'system-critical' }, false, ['FieldValueForbidden spec.priority']],
  ['a priority by the controller', { vmiName: 'x', priority: 'system-critical' }, true, []],
])('a new migration with %s', (_what, spec, byController, causes) => {
  expect(told(validateNewMigration(migration(spec), byController))).toEqual(causes);
});

test.each<[string, Migration, string[]]>([
  ['nothing', migration({ vmiName: 'x' }, { 'kubevirt.io/vmi-name': 'x' }), []],
  ['another label', migration({ vmiName: 'x' }, { 'kubevirt.io/vmi-name': 'x', mine: 'y' }), []],
  ['the spec', migration({ vmiName: 'y' }, { 'kubevirt.io/vmi-name': 'x' }), ['FieldValueNotSupported spec']],
  ['the selector label', migration({ vmiName: 'x' }), ['FieldValueNotSupported metadata.labels[kubevirt.io/vmi-name]']],
])('an update of %s', (_what, changed, causes) => {
  const old = migration({ vmiName: 'x' }, { 'kubevirt.io/vmi-name': 'x' });
  expect(told(validateMigrationUpdate(changed, old))).toEqual(causes);
});

const vmi = (phase: string, migratable?: 'True' | 'False'): VirtualMachineInstance => ({
  metadata: { name: 'x' },
  spec: { domain: { devices: {} } },
  status: {
    phase: phase as 'Running',
    conditions: migratable
      ? [{ type: 'LiveMigratable', status: migratable, reason: 'DisksNotLiveMigratable', message: 'of a disk' }]
      : [],
  },
});

test.each<[string, VirtualMachineInstance | undefined, Migration[], string | undefined]>([
  ['an instance that runs', vmi('Running', 'True'), [], undefined],
  ['an instance of which nothing is known', vmi('Running'), [], undefined],
  ['a missing instance', undefined, [], 'the VMI "x" does not exist'],
  ['an instance that ended', vmi('Succeeded'), [], 'finalized state'],
  [
    'an instance that cannot move',
    vmi('Running', 'False'),
    [],
    'Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: of a disk',
  ],
  [
    'an instance that is moving',
    vmi('Running', 'True'),
    [migration({ vmiName: 'x' }, {}, 'Running')],
    'in-flight migration detected. Active migration job (m-uid)',
  ],
  ['an instance that has moved', vmi('Running', 'True'), [migration({ vmiName: 'x' }, {}, 'Succeeded')], undefined],
])('a migration of %s', (_what, instance, others, objection) => {
  const found = migrationObjection('x', instance, others);
  if (objection === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(objection);
});
