// What the kubernetes layer reads of each object: any field may be missing, whoever wrote it.

/** What the API server knows of one machine. */
export interface KubernetesView {
  vm: Looked<VmView>;
  vmi: Looked<VmiView>;
  pods: Looked<PodView[]>;
  node: Looked<NodeView>;
  /** By which virt-controller's leader shows that it lives. */
  controllerLease: Looked<LeaseView>;
  /** By which the virt-handler of the machine's node shows that it lives; undefined when the machine is on no node. */
  handlerLease?: Looked<LeaseView> | undefined;
  claims?: ClaimLook[];
  /** Of the machine's migrations. */
  migrations?: Looked<MigrationView[]> | undefined;
  /** Of the machine, its instance, its pods and its claims. */
  events?: Looked<EventView[]> | undefined;
  /** Whose clock is compared with the API server's, and by how much it is ahead of it. */
  clock?: { of: string; aheadMs: number } | undefined;
}

/** An absent object was looked for and is not there; with an error it could not be looked for. */
export type Looked<T> = { found: T } | { found: undefined; error?: string };

export interface ConditionView {
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastTransitionTime?: string | null;
}

interface Metadata {
  name?: string;
  namespace?: string;
  uid?: string;
  creationTimestamp?: string | null;
  deletionTimestamp?: string | null;
}

export interface VmView {
  metadata?: Metadata;
  spec?: { running?: boolean; runStrategy?: string; template?: { spec?: InstanceSpecView } };
  status?: {
    ready?: boolean;
    printableStatus?: string;
    startFailure?: { consecutiveFailCount?: number };
    conditions?: ConditionView[];
  };
}

export interface InstanceSpecView {
  terminationGracePeriodSeconds?: number;
  volumes?: object[];
}

export interface VmiView {
  metadata?: Metadata;
  spec?: InstanceSpecView;
  status?: {
    phase?: string;
    nodeName?: string;
    reason?: string;
    conditions?: ConditionView[];
    /** Nodes by the uid of the launcher pod. */
    activePods?: Record<string, string>;
    phaseTransitionTimestamps?: { phase?: string; phaseTransitionTimestamp?: string | null }[];
    migrationState?: MigrationStateView;
    migrationMethod?: string;
    migrationTransport?: string;
    guestOSInfo?: { prettyName?: string };
    fsFreezeStatus?: string;
    interfaces?: { name?: string; ipAddress?: string; ipAddresses?: string[] }[];
  };
}

export interface MigrationStateView {
  startTimestamp?: string | null;
  endTimestamp?: string | null;
  sourceNode?: string;
  targetNode?: string;
  completed?: boolean;
  failed?: boolean;
  failureReason?: string;
}

export interface MigrationView {
  metadata?: Metadata;
  spec?: { vmiName?: string };
  status?: { phase?: string; migrationState?: MigrationStateView };
}

export interface PodView {
  metadata?: Metadata;
  spec?: { nodeName?: string };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    conditions?: ConditionView[];
    containerStatuses?: ContainerStatusView[];
  };
}

export interface ContainerStatusView {
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
  status?: { conditions?: (ConditionView & { lastHeartbeatTime?: string })[] };
}

export interface LeaseView {
  metadata?: { managedFields?: { time?: string }[] };
  spec?: { renewTime?: string | null; leaseDurationSeconds?: number | null };
}

export interface ClaimView {
  metadata?: Metadata;
  status?: { phase?: string };
}

/** A claim that the machine names, and what there is of it. */
export interface ClaimLook {
  name: string;
  /** A DataVolume makes it, so that it may not be there yet. */
  ofDataVolume: boolean;
  claim: Looked<ClaimView>;
}

export interface EventView {
  metadata?: Metadata;
  involvedObject?: { kind?: string; name?: string; uid?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string | null };
  source?: { component?: string };
  reportingComponent?: string;
}
