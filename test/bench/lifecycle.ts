import type { VirtualMachineInstance } from '@yagura/api';
import { defineResource, type KubeClient, type KubeObject, Pods, type Resource } from '@yagura/kube';

export const Vmis = defineResource<VirtualMachineInstance & KubeObject>(
  'kubevirt.io/v1',
  'VirtualMachineInstance',
  'virtualmachineinstances',
);

/** A moment to reach, and how to see in an object that it was. */
export type Milestones<T> = Record<string, (object: T) => boolean>;

export interface Lifecycle {
  /** Milliseconds from the POST to the arrival of the watch event that showed each milestone. */
  reached: Record<string, number>;
  /** Watch events on the object until the last milestone, the creation's own left out. */
  updates: number;
  /** Milliseconds from the DELETE to the object being gone. */
  deleted: number;
}

const DEADLINE_MS = 180_000;

/** Creates an object, follows it to its last milestone, lets `between` look at it, deletes it and waits until it is gone. */
export async function measureLifecycle<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  object: T,
  milestones: Milestones<T>,
  between: () => Promise<void> = async () => {},
): Promise<Lifecycle> {
  const { namespace = '', name = '' } = object.metadata ?? {};
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const follow = await follower(client, resource, namespace, name, signal);
  const reached: Record<string, number> = {};
  const start = performance.now();
  await client.create(resource, object);
  let updates = 0;
  while (Object.keys(milestones).some((key) => reached[key] === undefined)) {
    const { type, object: now } = await follow(
      `${name} to reach ${Object.keys(milestones).join(', ')}; so far ${Object.keys(reached)}`,
    );
    if (type === 'MODIFIED') updates += 1;
    for (const [key, isReached] of Object.entries(milestones)) {
      if (reached[key] === undefined && isReached(now)) reached[key] = performance.now() - start;
    }
  }
  await between();
  const deleting = performance.now();
  await client.delete(resource, { namespace, name });
  while ((await follow(`${name} to be gone`)).type !== 'DELETED');
  return { reached, updates, deleted: performance.now() - deleting };
}

/** Events of one object, one call each, from a watch that is open before the object exists. */
async function follower<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  namespace: string,
  name: string,
  signal: AbortSignal,
) {
  const { metadata } = await client.list(resource, { namespace });
  const events = client.watch(
    resource,
    {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      timeoutMs: DEADLINE_MS,
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    },
    signal,
  );
  return async (what: string) => {
    const next = await events.next();
    if (next.done) throw new Error(`the watch ended while waiting for ${what}`);
    return next.value;
  };
}

const conditionTrue = (object: { status?: unknown }, type: string): boolean =>
  ((object.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    (each) => each.type === type && each.status === 'True',
  );

export const vmiMilestones: Milestones<VirtualMachineInstance & KubeObject> = {
  scheduled: (vmi) => ['Scheduled', 'Running'].includes(vmi.status?.phase ?? ''),
  running: (vmi) => vmi.status?.phase === 'Running',
  agent: (vmi) => conditionTrue(vmi, 'AgentConnected'),
};

export const podMilestones: Milestones<KubeObject & Record<string, unknown>> = {
  ready: (pod) => conditionTrue(pod as { status?: unknown }, 'Ready'),
};

export { Pods };
