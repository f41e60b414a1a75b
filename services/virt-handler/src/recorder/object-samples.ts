import type { Pod, VirtualMachineInstance } from '@yagura/api';
import type { JsonValue, Sample } from '@yagura/layers';
import { conditionText, join } from '@yagura/layers/kubernetes';
import { WATCH_MAX_AGE } from '../observe/layer-reports.ts';

/** The kubernetes layer as this node's watches bring it, in the words of virt-api's; `seenAt`: when the API server last confirmed it. */
export function objectSamples(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
  seenAt: { pods: Date | undefined; vmis: Date | undefined },
): Sample[] {
  return [...vmiSamples(vmi, seenAt.vmis), ...podSamples(pod, seenAt.pods)];
}

function vmiSamples({ metadata, status }: VirtualMachineInstance, observedAt: Date | undefined): Sample[] {
  const sample = sampler('VirtualMachineInstance', observedAt);
  return [
    sample('vmi.phase', status?.phase),
    sample('vmi.reason', status?.reason),
    sample('vmi.deletionTimestamp', metadata.deletionTimestamp),
    ...(status?.conditions ?? []).map((condition) =>
      sample(`vmi.condition.${condition.type}`, conditionText(condition)),
    ),
  ];
}

function podSamples(pod: Pod | undefined, observedAt: Date | undefined): Sample[] {
  const sample = sampler('Pod', observedAt);
  if (pod === undefined) return [sample('pod.phase', 'no launcher pod')];
  const { metadata, status } = pod;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return [
    sample('pod.name', metadata.name),
    sample('pod.phase', metadata.deletionTimestamp ? `${status?.phase} (terminating)` : status?.phase),
    sample('pod.ready', ready?.status),
    sample('pod.reason', join(status?.reason ?? '', status?.message)),
    ...(status?.containerStatuses ?? []).map(({ name, state, restartCount }) => {
      const { waiting, terminated } = state ?? {};
      const word = waiting
        ? join(waiting.reason ?? 'waiting', waiting.message)
        : terminated
          ? join(`ended (exit code ${terminated.exitCode})`, terminated.reason)
          : 'running';
      return sample(`pod.container.${name}`, restartCount ? `${word}, restarted ${restartCount} times` : word);
    }),
  ];
}

function sampler(source: string, observedAt: Date | undefined) {
  return (field: string, value: JsonValue | undefined): Sample => ({
    layer: 'kubernetes',
    field,
    value: value || null,
    source,
    observedAt,
    maxAge: WATCH_MAX_AGE,
    state: 'answering',
  });
}
