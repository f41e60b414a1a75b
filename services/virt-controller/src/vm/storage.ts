import {
  type DataVolume,
  type DataVolumeState,
  type DataVolumeTemplate,
  dataVolumeOf,
  dataVolumeState,
  isFinal,
  isRunning,
  type PersistentVolumeClaim,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@yagura/api';
import { type EventRecorder, formatKey, isAlreadyExists, isNotFound, type KubeClient, subjectOf } from '@yagura/kube';
import type { Caches } from '../caches.ts';
import { DataVolumes, VirtualMachines } from '../resources.ts';
import { cloneRefusal } from './clone-rights.ts';
import type { Failure } from './conditions.ts';
import { refusal } from './instances.ts';

/** Spelt as clients know it. */
const SOURCE_MISSING = 'SourcePVCNotAvailabe';

/** What the volumes of a virtual machine wait for, before a guest uses them. */
export interface StorageFacts {
  /** The worst of all data volumes the template names; absent without any. */
  dataVolumes?: DataVolumeState;
  /** Whether a claim that is there is not bound yet. */
  claimsUnbound: boolean;
  /** Whether all that is made together with the virtual machine is ready for an instance. */
  mayStart: boolean;
  failure?: Failure;
}

interface World {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
}

type Lookup =
  | { state: DataVolumeState; failure?: Failure }
  /** Neither it nor a claim of its name exists. */
  | undefined;

/**
 * Makes the data volumes of the virtual machine that are missing, and looks how far everything is. Undefined when the
 * answer matters to nobody: while the guest runs, or when there are no such volumes.
 */
export async function storageOf(
  world: World,
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  signal: AbortSignal,
): Promise<StorageFacts | undefined> {
  if (vm.metadata.deletionTimestamp) return undefined;
  if (vmi && (isRunning(vmi) || isFinal(vmi) || vmi.metadata.deletionTimestamp)) return undefined;
  const { namespace = '' } = vm.metadata;
  const templates = vm.spec.dataVolumeTemplates ?? [];
  const volumes = vm.spec.template.spec.volumes ?? [];
  const named = volumes.flatMap(({ dataVolume }) => (dataVolume?.name ? [dataVolume.name] : []));
  const claimed = volumes.flatMap(({ persistentVolumeClaim: claim }) => (claim?.claimName ? [claim.claimName] : []));
  const claimNames = [...new Set([...named, ...claimed])];
  if (templates.length === 0 && claimNames.length === 0) return undefined;

  const made: Lookup[] = [];
  for (const template of templates) made.push(await ensure(world, vm, template, signal));
  const others = named.filter((name) => !templates.some(({ metadata }) => metadata.name === name));
  const found: Lookup[] = [];
  for (const name of others) found.push(await look(world, namespace, name, signal));

  const all = [...made, ...found].flatMap((one) => (one ? [one] : []));
  const worst = (['error', 'provisioning', 'ready'] as const).find((state) => all.some((one) => one.state === state));
  const failure = all.find((one) => one.failure)?.failure;
  return {
    ...(worst ? { dataVolumes: worst } : {}),
    claimsUnbound: claimNames.some((name) => (claimOf(world, namespace, name)?.status?.phase ?? 'Bound') !== 'Bound'),
    mayStart: made.every((one) => one?.state === 'ready'),
    ...(failure ? { failure } : {}),
  };
}

function claimOf({ caches }: World, namespace: string, name: string): PersistentVolumeClaim | undefined {
  return caches.claims.store.get(formatKey({ namespace, name }));
}

async function look(world: World, namespace: string, name: string, signal: AbortSignal): Promise<Lookup> {
  const volume = await world.client.get(DataVolumes, { namespace, name }, {}, signal).catch(absent);
  if (volume) return { state: dataVolumeState(volume) };
  // A claim that has outlived its data volume, or was there before: nothing is left to be done.
  return claimOf(world, namespace, name) ? { state: 'ready' } : undefined;
}

async function ensure(
  world: World,
  vm: VirtualMachine,
  template: DataVolumeTemplate,
  signal: AbortSignal,
): Promise<Lookup> {
  const { name } = template.metadata;
  const { events } = world;
  const subject = subjectOf(VirtualMachines, vm);
  const found = await look(world, vm.metadata.namespace ?? '', name, signal);
  if (found?.state === 'error') events.warning(subject, 'FailedDataVolumeImport', `DataVolume ${name} has failed`);
  if (found) return found;

  const failed = (event: string, why: string): Lookup => {
    const message = `DataVolume ${name} cannot be created: ${why}`;
    events.warning(subject, event, message);
    return { state: 'error', failure: { reason: 'FailedCreate', message } };
  };
  const refused = await cloneRefusal(world.client, vm, template, signal);
  if (refused) return failed('UnauthorizedDataVolumeCreate', refused);
  let created: DataVolume;
  try {
    created = await world.client.create(DataVolumes, dataVolumeOf(vm, template), {}, signal);
  } catch (error) {
    if (isAlreadyExists(error)) return { state: 'provisioning' };
    if (isNotFound(error))
      return failed('FailedDataVolumeCreate', 'CDI, which serves cdi.kubevirt.io, is not installed');
    return failed('FailedDataVolumeCreate', refusal(error));
  }
  events.normal(subject, 'SuccessfulDataVolumeCreate', `Created DataVolume ${name}`);
  const source = missingSource(world, vm, template);
  if (source) {
    const message = `Source PVC ${source} of DataVolume ${name} does not exist: the volume is filled when it appears`;
    events.warning(subject, SOURCE_MISSING, message);
  }
  return { state: dataVolumeState(created) };
}

/** The claim that a data volume is copied from, as long as there is none. */
function missingSource(world: World, vm: VirtualMachine, { spec }: DataVolumeTemplate): string | undefined {
  const { source } = spec as { source?: { pvc?: { namespace?: string; name?: string } } };
  if (!source?.pvc?.name) return undefined;
  const namespace = source.pvc.namespace || (vm.metadata.namespace ?? '');
  return claimOf(world, namespace, source.pvc.name) ? undefined : `${namespace}/${source.pvc.name}`;
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
