import type { JsonValue, Sample } from '../observation.ts';
import { join, sample, toDate, unanswered } from './samples.ts';
import type { KubernetesView, MigrationStateView, VmiView } from './view.ts';

/** Objects shown, the newest first. */
const SHOWN = 5;

/** The current or last migration, as the instance tells of it, and how it could move. */
export function migrationStateSamples(status: VmiView['status'], source: string, readAt: Date): Sample[] {
  const state = status?.migrationState;
  const word = migrationWord(state);
  const migration = (field: string, value: JsonValue | undefined) => migrationSample(field, value, source, readAt);
  const turned = toDate(word === 'running' ? state?.startTimestamp : state?.endTimestamp);
  return [
    { ...migration('state', word), ...(word === 'none' ? {} : { since: turned }) },
    ...(state?.sourceNode ? [migration('sourceNode', state.sourceNode)] : []),
    ...(state?.targetNode ? [migration('targetNode', state.targetNode)] : []),
    ...(state?.failureReason ? [migration('failureReason', state.failureReason)] : []),
    ...(status?.migrationMethod ? [migration('method', status.migrationMethod)] : []),
    ...(status?.migrationTransport ? [migration('transport', status.migrationTransport)] : []),
  ];
}

function migrationWord(state: MigrationStateView | undefined): 'none' | 'running' | 'failed' | 'succeeded' {
  if (state === undefined) return 'none';
  if (state.failed) return 'failed';
  return state.completed || state.endTimestamp ? 'succeeded' : 'running';
}

/** The objects that ask for a migration of the machine. */
export function migrationSamples({ migrations }: KubernetesView, readAt: Date): Sample[] {
  const source = 'VirtualMachineInstanceMigration';
  if (migrations === undefined) return [];
  if (migrations.found === undefined)
    return migrations.error === undefined
      ? []
      : [{ ...unanswered('object', source, migrations.error), layer: 'migration' }];
  const newestFirst = [...migrations.found].sort((a, b) =>
    (b.metadata?.creationTimestamp ?? '').localeCompare(a.metadata?.creationTimestamp ?? ''),
  );
  const cut = newestFirst.length > SHOWN ? [`${SHOWN} of ${newestFirst.length}`] : [];
  return [
    ...newestFirst.slice(0, SHOWN).map(({ metadata, status }) => ({
      ...migrationSample(
        `object.${metadata?.name ?? ''}`,
        join(status?.phase || 'Pending', status?.migrationState?.failureReason),
        source,
        readAt,
      ),
      since: toDate(metadata?.creationTimestamp),
    })),
    ...cut.map((text) => migrationSample('objects', text, source, readAt)),
  ];
}

function migrationSample(field: string, value: JsonValue | undefined, source: string, readAt: Date): Sample {
  return { ...sample(field, value, source, readAt), layer: 'migration' };
}
