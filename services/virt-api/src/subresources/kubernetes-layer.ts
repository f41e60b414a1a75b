import { DEFAULT_GRACE_PERIOD_SECONDS } from '@yagura/api';
import { type JsonValue, type Observation, observe, type Sample } from '@yagura/layers';
import { type Condition, hasCondition, type MigrationState, type Vm, type Vmi } from './objects.ts';

/** What the API server knows of one VM. An absent object was looked for and is not there; an error could not be looked for. */
export interface KubernetesView {
  vm: Looked<Vm>;
  vmi: Looked<Vmi>;
  pods: Looked<PodView[]>;
  node: Looked<NodeView>;
  /** By which virt-controller's leader shows that it lives. */
  controllerLease: Looked<LeaseView>;
}

export interface LeaseView {
  metadata?: { managedFields?: { time?: string }[] };
  spec?: { renewTime?: string | null; leaseDurationSeconds?: number | null };
}

export type Looked<T> = { found: T } | { found: undefined; error?: string };

export interface PodView {
  metadata?: { name?: string; uid?: string; deletionTimestamp?: string };
  spec?: { nodeName?: string };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
  };
}

interface ContainerStatus {
  name?: string;
  ready?: boolean;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { reason?: string; exitCode?: number; message?: string };
  };
}

export interface NodeView {
  metadata?: { name?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { unschedulable?: boolean };
  status?: { conditions?: (Condition & { lastHeartbeatTime?: string })[] };
}

/** Read from the API server at the moment of the request, so what was found is as live as the answer itself. */
const MAX_AGE_SECONDS = 5;
/** The kubelet renews its node's status at least every five minutes; its lease every ten seconds. */
const HEARTBEAT_MAX_AGE_SECONDS = 180;
const LEASE_SECONDS = 15;
const NO_OBJECT = 'no such object';
/** Conditions of a node that are trouble when they are True. */
const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];

/** The observations of the kubernetes layer, each by the object and field that says so. */
export function kubernetesLayer(view: KubernetesView, readAt: Date, now: Date): Observation[] {
  return [
    ...vmSamples(view, readAt),
    ...vmiSamples(view, readAt),
    ...podSamples(view, readAt),
    ...nodeSamples(view, readAt),
    ...controllerSamples(view, readAt),
  ].map((sample) => observe(sample, now));
}

function sample(field: string, value: JsonValue | undefined, source: string, readAt: Date): Sample {
  return {
    layer: 'kubernetes',
    field,
    value: value ?? null,
    source,
    observedAt: readAt,
    maxAge: MAX_AGE_SECONDS,
    state: 'answering',
  };
}

/** A condition as `Status: Reason: Message`. */
function conditionSample(owner: string, condition: Condition, source: string, readAt: Date): Sample {
  return {
    ...sample(`${owner}.condition.${condition.type}`, conditionText(condition), source, readAt),
    since: toDate(condition.lastTransitionTime),
  };
}

function toDate(time: string | null | undefined): Date | undefined {
  return time ? new Date(time) : undefined;
}

/** Something that could not be looked up: unknown, which is neither absent nor empty. */
function unanswered(field: string, source: string, error: string): Sample {
  return {
    layer: 'kubernetes',
    field,
    source,
    observedAt: undefined,
    maxAge: MAX_AGE_SECONDS,
    state: 'failing',
    error,
  };
}

function vmSamples({ vm }: KubernetesView, readAt: Date): Sample[] {
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

function vmiSamples({ vmi }: KubernetesView, readAt: Date): Sample[] {
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
  samples.push(sample('vmi.paused', hasCondition(vmi.found, 'Paused'), source, readAt));
  return [...samples, ...migrationSamples(status?.migrationState, source, readAt)];
}

/** The current or last migration, as the object tells of it. */
function migrationSamples(state: MigrationState | undefined, source: string, readAt: Date): Sample[] {
  const word = migrationWord(state);
  const migration = (field: string, value: JsonValue | undefined): Sample => ({
    ...sample(field, value, source, readAt),
    layer: 'migration',
  });
  const turned = toDate(word === 'running' ? state?.startTimestamp : state?.endTimestamp);
  return [
    { ...migration('state', word), ...(word === 'none' ? {} : { since: turned }) },
    ...(state?.sourceNode ? [migration('sourceNode', state.sourceNode)] : []),
    ...(state?.targetNode ? [migration('targetNode', state.targetNode)] : []),
    ...(state?.failureReason ? [migration('failureReason', state.failureReason)] : []),
  ];
}

function migrationWord(state: MigrationState | undefined): 'none' | 'running' | 'failed' | 'succeeded' {
  if (state === undefined) return 'none';
  if (state.failed) return 'failed';
  return state.completed || state.endTimestamp ? 'succeeded' : 'running';
}

function podSamples({ pods, vmi }: KubernetesView, readAt: Date): Sample[] {
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
function containerTrouble({ state, restartCount }: ContainerStatus): string | undefined {
  if (state?.waiting) return join(state.waiting.reason ?? 'Waiting', state.waiting.message);
  if (state?.terminated)
    return join(
      `${state.terminated.reason ?? 'Terminated'} (exit code ${state.terminated.exitCode ?? '?'})`,
      state.terminated.message,
    );
  return restartCount ? `restarted ${restartCount} times` : undefined;
}

function nodeSamples({ node }: KubernetesView, readAt: Date): Sample[] {
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

/** Dated by the API server's clock where that is known: virt-controller's own may be wrong. */
function controllerSamples({ controllerLease }: KubernetesView, readAt: Date): Sample[] {
  const field = 'virt-controller.lease';
  const source = 'Lease';
  const lease = controllerLease.found;
  if (lease === undefined) {
    return controllerLease.error === undefined ? [] : [unanswered(field, source, controllerLease.error)];
  }
  const { renewTime, leaseDurationSeconds } = lease.spec ?? {};
  const written = (lease.metadata?.managedFields ?? []).flatMap(({ time }) => time ?? []).sort();
  return [
    {
      ...sample(field, renewTime, source, readAt),
      observedAt: toDate(written.at(-1) ?? renewTime),
      // The next leader waits for the lease to end, then takes it.
      maxAge: 2 * (leaseDurationSeconds ?? LEASE_SECONDS),
    },
  ];
}

function conditionText(condition: Condition): string {
  return condition.reason || condition.message
    ? `${condition.status}: ${join(condition.reason ?? '', condition.message)}`
    : condition.status;
}

function join(first: string, second: string | undefined): string {
  return [first, second].filter((part) => part !== undefined && part !== '').join(': ');
}
