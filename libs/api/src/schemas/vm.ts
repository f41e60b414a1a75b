import type { Static } from 'typebox';
import type { ObjectMeta } from '../kubernetes.ts';
import { RUN_STRATEGIES } from '../words.ts';
import {
  also,
  bool,
  doc,
  freeForm,
  int32,
  int64,
  list,
  object,
  objectMeta,
  oneOf,
  str,
  stringMap,
  time,
} from './build.ts';
import { DiskSchema } from './disks.ts';
import { ConditionSchema, TemplateMetadataSchema } from './meta.ts';
import { typeMeta } from './vmi.ts';
import { VirtualMachineInstanceSpecSchema } from './vmi-spec.ts';
import { ChangedBlockTrackingStatusSchema, StorageMigratedVolumes } from './vmi-status.ts';
import { HotplugVolumeSourceSchema } from './volumes.ts';

export type RunStrategy = (typeof RUN_STRATEGIES)[number];

const runStrategy = (description: string) => oneOf(description, RUN_STRATEGIES);

const matcher = (what: string) =>
  object(`The ${what} that completes the template.`, {
    name: str('Name.'),
    kind: str('Kind; the cluster-wide one if unset.'),
    revisionName: str('ControllerRevision with the content to use.'),
    inferFromVolume: str('Volume whose labels name it.'),
    inferFromVolumeFailurePolicy: oneOf('What happens when the labels are missing.', ['Reject', 'Ignore']),
  });

const matcherStatus = (what: string) =>
  object(`The ${what} in use.`, {
    name: str('Name.'),
    kind: str('Kind.'),
    inferFromVolume: str('Volume whose labels named it.'),
    inferFromVolumeFailurePolicy: str('What happens when the labels are missing.'),
    controllerRevisionRef: object('ControllerRevision with the content in use.', { name: str('Name.') }),
  });

const DataVolumeTemplateSchema = object(
  'A DataVolume of CDI that is made together with the virtual machine.',
  { ...typeMeta, status: freeForm<Record<string, unknown>>('Ignored.') },
  {
    metadata: object(
      'Name, labels and annotations of the DataVolume.',
      {
        namespace: str('Ignored.'),
        creationTimestamp: time('Ignored.'),
        labels: stringMap('Labels.'),
        annotations: stringMap('Annotations.'),
      },
      { name: str('Name of the DataVolume; volumes refer to it.') },
    ),
    spec: freeForm<Record<string, unknown>>('Spec of a cdi.kubevirt.io/v1beta1 DataVolume.'),
  },
);

const TemplateSchema = object(
  'The virtual machine instance that is made at each start.',
  { metadata: also(TemplateMetadataSchema, { nullable: true }) },
  { spec: VirtualMachineInstanceSpecSchema },
);

export const VirtualMachineSpecSchema = object(
  'What the virtual machine should be, and whether it should run.',
  {
    running: bool('Deprecated: true is runStrategy Always, false is Halted. Exclusive with runStrategy.'),
    runStrategy: runStrategy('When the virtual machine runs. Exclusive with running.'),
    instancetype: matcher('instance type'),
    preference: matcher('preference'),
    dataVolumeTemplates: list('DataVolumes made together with the virtual machine.', DataVolumeTemplateSchema),
    updateVolumesStrategy: oneOf('What a changed volume of a running guest means.', ['Replacement', 'Migration']),
  },
  { template: TemplateSchema },
);
export type VirtualMachineSpec = Static<typeof VirtualMachineSpecSchema>;

const VolumeRequestSchema = object('A volume to attach to or detach from the running guest; one of both is set.', {
  addVolumeOptions: object(
    'A volume to attach.',
    { dryRun: list('All: only check.', str('')) },
    {
      name: str('Name of disk and volume.'),
      disk: DiskSchema,
      volumeSource: HotplugVolumeSourceSchema,
    },
  ),
  removeVolumeOptions: object(
    'A volume to detach.',
    { dryRun: list('All: only check.', str('')) },
    {
      name: str('Name of disk and volume.'),
    },
  ),
});

const StateChangeRequestSchema = object(
  'A start or stop that someone asked for.',
  { data: stringMap('Options of the request.'), uid: str('UID of the instance that a stop is for.') },
  { action: oneOf('What was asked for.', ['Start', 'Stop']) },
);
export type StateChangeRequest = Static<typeof StateChangeRequestSchema>;

export const PRINTABLE_STATUSES = [
  'Stopped',
  'Provisioning',
  'Starting',
  'Running',
  'Paused',
  'Stopping',
  'Terminating',
  'Migrating',
  'Unknown',
  'CrashLoopBackOff',
  'ErrorUnschedulable',
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrorPvcNotFound',
  'DataVolumeError',
  'WaitingForVolumeBinding',
  'WaitingForReceiver',
] as const;
export type PrintableStatus = (typeof PRINTABLE_STATUSES)[number];

export const VirtualMachineStatusSchema = object('What is known about the virtual machine.', {
  printableStatus: also(oneOf('One word that says how the virtual machine is.', PRINTABLE_STATUSES), {
    default: 'Stopped',
  }),
  created: bool('Whether an instance exists.'),
  ready: bool('Whether the instance is ready.'),
  runStrategy: runStrategy('Run strategy under which it was last started.'),
  observedGeneration: int64('Generation that the running instance was made from.'),
  desiredGeneration: int64('Generation of the object.'),
  conditions: list('Conditions.', ConditionSchema),
  stateChangeRequests: list('Requests to start or stop; the first one is acted upon.', StateChangeRequestSchema),
  startFailure: object('Failed starts in a row, and when the next is tried.', {
    consecutiveFailCount: int32('Instances in a row that ended before they ran.'),
    lastFailedVMIUID: str('UID of the last of them.'),
    retryAfterTimestamp: time('When the next one is made.'),
  }),
  snapshotInProgress: str('Name of the snapshot being taken.'),
  restoreInProgress: str('Name of the restore being done.'),
  volumeRequests: list('Volumes to attach or detach.', VolumeRequestSchema),
  volumeSnapshotStatuses: list(
    'Which volumes a snapshot can hold.',
    object(
      'Whether a snapshot can hold the volume.',
      { reason: str('Why not.') },
      { name: str('Name of the volume.'), enabled: bool('Whether it can.') },
    ),
  ),
  memoryDumpRequest: object(
    'A requested memory dump.',
    {
      remove: bool('Whether the claim is to be detached.'),
      startTimestamp: time('When it began.'),
      endTimestamp: time('When it ended.'),
      fileName: str('File of the dump.'),
      message: str('Why it failed.'),
    },
    { claimName: str('Claim that receives the dump.'), phase: str('Where the dump stands.') },
  ),
  volumeUpdateState: object('Volumes being replaced.', {
    volumeMigrationState: object('Volumes being migrated.', { migratedVolumes: StorageMigratedVolumes }),
  }),
  instancetypeRef: matcherStatus('instance type'),
  preferenceRef: matcherStatus('preference'),
  changedBlockTracking: doc('State of changed block tracking.', ChangedBlockTrackingStatusSchema),
});
export type VirtualMachineStatus = Static<typeof VirtualMachineStatusSchema>;

export const VirtualMachineSchema = object(
  'A virtual machine: what it should be, and whether it should run.',
  { ...typeMeta, status: VirtualMachineStatusSchema },
  { metadata: objectMeta<ObjectMeta>(), spec: VirtualMachineSpecSchema },
);
export type VirtualMachine = Static<typeof VirtualMachineSchema>;
