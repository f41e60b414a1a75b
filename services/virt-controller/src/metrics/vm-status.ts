import { type PrintableStatus, type VirtualMachine, VM_CONDITIONS, VMI_CONDITIONS } from '@yagura/api';
import { counter, gauge, type Series } from '@yagura/runtime/metrics';
import { systemLabels } from './labels.ts';

type Group = 'starting' | 'running' | 'migrating' | 'non_running' | 'error';

const since = (group: Group, words: string) =>
  counter(
    `kubevirt_vm_${group}_status_last_transition_timestamp_seconds`,
    `When a condition of a virtual machine that is ${words} last changed; 0 while it is not.`,
  );

export const VM = {
  info: gauge('kubevirt_vm_info', 'What a virtual machine is and how it stands; always 1.'),
  created: gauge('kubevirt_vm_create_date_timestamp_seconds', 'When a virtual machine was created.'),
  labels: gauge('kubevirt_vm_labels', 'Labels of a virtual machine and of its template, as labels; always 1.'),
  starting: since('starting', 'starting'),
  running: since('running', 'running'),
  migrating: since('migrating', 'being migrated'),
  non_running: since('non_running', 'stopped, paused or on its way there'),
  error: since('error', 'in error'),
};

const GROUPS: readonly Group[] = ['starting', 'running', 'migrating', 'non_running', 'error'];

const GROUP_OF: Readonly<Partial<Record<PrintableStatus, Group>>> = {
  Provisioning: 'starting',
  Starting: 'starting',
  WaitingForVolumeBinding: 'starting',
  WaitingForReceiver: 'starting',
  Running: 'running',
  Migrating: 'migrating',
  Stopped: 'non_running',
  Paused: 'non_running',
  Stopping: 'non_running',
  Terminating: 'non_running',
  CrashLoopBackOff: 'error',
  Unknown: 'error',
  ErrorUnschedulable: 'error',
  ErrImagePull: 'error',
  ImagePullBackOff: 'error',
  ErrorPvcNotFound: 'error',
  DataVolumeError: 'error',
};

/** What a virtual machine is, and since when it is as it is. */
export function vmStatusSeries(vm: VirtualMachine): Series[] {
  const { name, namespace, creationTimestamp } = vm.metadata;
  const { metadata: template, spec } = vm.spec.template;
  const status = vm.status?.printableStatus;
  const group = status && GROUP_OF[status];
  const own = { name, namespace };
  const labels = { ...vm.metadata.labels, ...template?.labels };
  return [
    {
      family: VM.info,
      labels: {
        ...own,
        ...systemLabels(template?.annotations),
        machine_type: spec.domain.machine?.type,
        status: status?.toLowerCase(),
        status_group: group ?? '<unknown>',
      },
      value: 1,
    },
    ...(creationTimestamp ? [{ family: VM.created, labels: own, value: Date.parse(creationTimestamp) / 1000 }] : []),
    ...(Object.keys(labels).length > 0
      ? [{ family: VM.labels, labels: { ...own, ...asLabels(labels) }, value: 1 }]
      : []),
    ...GROUPS.map((candidate) => ({
      family: VM[candidate],
      labels: own,
      value: candidate === (group ?? 'error') ? lastTransition(vm) : 0,
    })),
  ];
}

function asLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [`label_${key.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`, value]),
  );
}

/** Seconds since the epoch; -1 when no condition says. */
function lastTransition({ status }: VirtualMachine): number {
  const types: readonly string[] = [VM_CONDITIONS.ready, VM_CONDITIONS.failure, VMI_CONDITIONS.paused];
  const times = (status?.conditions ?? [])
    .filter(({ type, lastTransitionTime }) => types.includes(type) && lastTransitionTime)
    .map(({ lastTransitionTime }) => Math.floor(Date.parse(lastTransitionTime ?? '') / 1000));
  return Math.max(-1, ...times);
}
