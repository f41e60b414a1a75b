import { DEFAULT_GRACE_PERIOD_SECONDS } from '@yagura/api';
import type { Sample } from '../observation.ts';
import { migrationStateSamples } from './migrations.ts';
import { conditionSample, NO_OBJECT, sample, toDate, unanswered } from './samples.ts';
import type { ConditionView, KubernetesView, PodView, VmiView } from './view.ts';

/** The machine and its instance, by the objects that the API server has of them. */
export function vmSamples({ vm }: KubernetesView, readAt: Date): Sample[] {
  const source = 'VirtualMachine';
  if (vm.found === undefined) {
    if (vm.error !== undefined) return [unanswered('vm.printableStatus', source, vm.error)];
    return [sample('vm.printableStatus', NO_OBJECT, source, readAt)];
  }
  const { spec, status } = vm.found;
  const running = spec?.runStrategy ?? (spec?.running === undefined ? undefined : spec.running ? 'Always' : 'Halted');
  return [
    sample('vm.printableStatus', status?.printableStatus, source, readAt),
    sample('vm.runStrategy', running, source, readAt),
    sample('vm.ready', status?.ready ?? false, source, readAt),
    ...(status?.startFailure?.consecutiveFailCount
      ? [sample('vm.startFailures', status.startFailure.consecutiveFailCount, source, readAt)]
      : []),
    // All others are copies of the instance's.
    ...(status?.conditions ?? [])
      .filter(({ type }) => type === 'Failure')
      .map((condition) => conditionSample('vm', condition, source, readAt)),
  ];
}

export function vmiSamples({ vmi, pods }: KubernetesView, readAt: Date): Sample[] {
  const source = 'VirtualMachineInstance';
  if (vmi.found === undefined) {
    if (vmi.error !== undefined) return [unanswered('vmi.phase', source, vmi.error)];
    return [sample('vmi.phase', NO_OBJECT, source, readAt)];
  }
  const { metadata, status } = vmi.found;
  const entered = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === status.phase);
  const samples: Sample[] = [
    {
      ...sample('vmi.phase', status?.phase ?? '', source, readAt),
      since: toDate(entered?.phaseTransitionTimestamp ?? (status?.phase ? undefined : metadata?.creationTimestamp)),
    },
  ];
  if (status?.reason) samples.push(sample('vmi.reason', status.reason, source, readAt));
  samples.push(sample('vmi.deletionTimestamp', metadata?.deletionTimestamp, source, readAt));
  const grace = vmi.found.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD_SECONDS;
  samples.push(sample('vmi.gracePeriodSeconds', grace, source, readAt));
  samples.push(sample('vmi.nodeName', status?.nodeName || undefined, source, readAt));
  for (const condition of status?.conditions ?? []) samples.push(conditionSample('vmi', condition, source, readAt));
  samples.push(sample('vmi.paused', isTrue(status?.conditions, 'Paused'), source, readAt));
  if (status?.activePods !== undefined)
    samples.push(sample('vmi.activePods', activePods(status.activePods, pods.found ?? []), source, readAt));
  return [...samples, ...shownSamples(vmi.found, source, readAt), ...migrationStateSamples(status, source, readAt)];
}

/** Each as `pod on node`; one that nobody sees by its uid. */
function activePods(active: Readonly<Record<string, string>>, pods: readonly PodView[]): string[] {
  return Object.entries(active).map(([uid, node]) => {
    const pod = pods.find(({ metadata }) => metadata?.uid === uid);
    return `${pod?.metadata?.name ?? uid} on ${node}`;
  });
}

/** What the object shows of the guest, beside which the report says what the sources say now. */
function shownSamples({ status }: VmiView, source: string, readAt: Date): Sample[] {
  const { guestOSInfo, fsFreezeStatus, interfaces = [] } = status ?? {};
  return [
    ...(guestOSInfo?.prettyName ? [sample('vmi.guestOS', guestOSInfo.prettyName, source, readAt)] : []),
    ...(fsFreezeStatus ? [sample('vmi.fsFreezeStatus', fsFreezeStatus, source, readAt)] : []),
    ...interfaces.flatMap(({ name, ipAddress, ipAddresses }) =>
      name ? [sample(`vmi.interface.${name}`, ipAddresses ?? (ipAddress ? [ipAddress] : []), source, readAt)] : [],
    ),
  ];
}

function isTrue(conditions: readonly ConditionView[] = [], wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}
