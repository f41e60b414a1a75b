import type { Sample } from '../observation.ts';
import { conditionSample, join, sample, unanswered } from './samples.ts';
import type { ContainerStatusView, KubernetesView } from './view.ts';

/** The launcher pods, and what is wrong with their containers. */
export function podSamples({ pods, vmi }: KubernetesView, readAt: Date): Sample[] {
  const source = 'Pod';
  if (pods.found === undefined) return pods.error === undefined ? [] : [unanswered('pod.phase', source, pods.error)];
  if (pods.found.length === 0)
    return vmi.found === undefined ? [] : [sample('pod.phase', 'no launcher pod', source, readAt)];
  const several = pods.found.length > 1;
  return pods.found.flatMap((pod) => {
    const prefix = several ? `pod[${pod.metadata?.name ?? ''}]` : 'pod';
    const { status } = pod;
    const samples = [
      ...(several ? [] : [sample('pod.name', pod.metadata?.name, source, readAt)]),
      sample(
        `${prefix}.phase`,
        pod.metadata?.deletionTimestamp ? `${status?.phase} (terminating)` : status?.phase,
        source,
        readAt,
      ),
      sample(
        `${prefix}.ready`,
        status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown',
        source,
        readAt,
      ),
      sample(`${prefix}.ip`, status?.podIP, source, readAt),
    ];
    if (status?.reason) samples.push(sample(`${prefix}.reason`, join(status.reason, status.message), source, readAt));
    const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (scheduled && scheduled.status !== 'True') samples.push(conditionSample(prefix, scheduled, source, readAt));
    for (const container of status?.containerStatuses ?? []) {
      const trouble = containerTrouble(container);
      if (trouble !== undefined)
        samples.push(sample(`${prefix}.container.${container.name ?? ''}`, trouble, source, readAt));
    }
    return samples;
  });
}

/** Only what is wrong: a container that runs is told by the pod being ready. */
function containerTrouble({ state, restartCount }: ContainerStatusView): string | undefined {
  if (state?.waiting) return join(state.waiting.reason ?? 'Waiting', state.waiting.message);
  if (state?.terminated)
    return join(
      `${state.terminated.reason ?? 'Terminated'} (exit code ${state.terminated.exitCode ?? '?'})`,
      state.terminated.message,
    );
  return restartCount ? `restarted ${restartCount} times` : undefined;
}
