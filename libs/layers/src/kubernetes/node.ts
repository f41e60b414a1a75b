import type { Sample } from '../observation.ts';
import { conditionSample, join, sample, toDate, unanswered } from './samples.ts';
import type { KubernetesView } from './view.ts';

/** The kubelet renews its node's status at least every five minutes; its lease every ten seconds. */
const HEARTBEAT_MAX_AGE_SECONDS = 180;
/** Conditions of a node that are trouble when they are True. */
const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];

/** The node of the machine, as kubelet and virt-handler tell of it. */
export function nodeSamples({ node }: KubernetesView, readAt: Date): Sample[] {
  const source = 'Node';
  if (node.found === undefined) return node.error === undefined ? [] : [unanswered('node.ready', source, node.error)];
  const ready = node.found.status?.conditions?.find(({ type }) => type === 'Ready');
  // Unknown is the node controller's word, which it gives while the kubelet is silent.
  const heartbeat = ready?.status === 'Unknown' ? undefined : ready?.lastHeartbeatTime;
  const schedulable = node.found.metadata?.labels?.['kubevirt.io/schedulable'];
  const handler = node.found.metadata?.annotations?.['kubevirt.io/heartbeat'];
  return [
    {
      ...sample('node.ready', ready?.status ?? 'Unknown', source, readAt),
      ...(heartbeat === undefined
        ? {}
        : { source: 'Node (kubelet)', observedAt: new Date(heartbeat), maxAge: HEARTBEAT_MAX_AGE_SECONDS + 120 }),
      since: toDate(ready?.lastTransitionTime),
      ...(ready && ready.status !== 'True' ? { error: join(ready.reason ?? '', ready.message) } : {}),
    },
    ...(node.found.status?.conditions ?? [])
      .filter(({ type, status }) => status === 'True' && PRESSURES.includes(type))
      .map((condition) => conditionSample('node', condition, source, readAt)),
    ...(node.found.spec?.unschedulable ? [sample('node.unschedulable', true, source, readAt)] : []),
    {
      ...sample('node.schedulable', schedulable, 'Node (virt-handler)', readAt),
      ...(handler === undefined || Number.isNaN(Date.parse(handler))
        ? {}
        : { observedAt: new Date(handler), maxAge: HEARTBEAT_MAX_AGE_SECONDS }),
    },
  ];
}
