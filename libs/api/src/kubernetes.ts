import type { IntOrString, Quantity } from './schemas/build.ts';
import type {
  Affinity,
  PodDnsConfig,
  Toleration,
  TopologySpreadConstraint,
  Probe as VmiProbe,
} from './schemas/pod-parts.ts';

/**
 * The built-in Kubernetes objects as far as this product reads or writes them: JSON with string timestamps, exactly
 * as it travels. Fields that nothing here uses are left out; they survive all the same, because objects are patched,
 * not rebuilt.
 */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: unknown[];
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** Any object with `metadata`. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

export interface KubernetesList<T> {
  apiVersion?: string;
  kind?: string;
  metadata: ListMeta;
  items: T[];
}

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

export interface LabelSelectorTerms {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** The condition shape of pods, nodes and kubevirt objects; times are null when never set. */
export interface Condition<T extends string = string> {
  type: T;
  status: ConditionStatus;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

export interface ResourceRequirements {
  requests?: Record<string, Quantity>;
  limits?: Record<string, Quantity>;
  claims?: { name: string; request?: string }[];
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { apiVersion?: string; fieldPath: string };
    secretKeyRef?: { name: string; key: string; optional?: boolean };
    configMapKeyRef?: { name: string; key: string; optional?: boolean };
  };
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  readOnly?: boolean;
  mountPropagation?: 'None' | 'HostToContainer' | 'Bidirectional';
}

export interface ContainerSecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  readOnlyRootFilesystem?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  seccompProfile?: { type: string; localhostProfile?: string };
}

export interface PodSecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  fsGroup?: number;
  fsGroupChangePolicy?: 'OnRootMismatch' | 'Always';
  supplementalGroups?: number[];
  seccompProfile?: { type: string; localhostProfile?: string };
  sysctls?: { name: string; value: string }[];
  seLinuxOptions?: { type?: string; level?: string };
}

export type ContainerProbe = Omit<VmiProbe, 'guestAgentPing'>;

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  ports?: { name?: string; containerPort: number; protocol?: string }[];
  resources?: ResourceRequirements;
  volumeMounts?: VolumeMount[];
  volumeDevices?: { name: string; devicePath: string }[];
  livenessProbe?: ContainerProbe;
  readinessProbe?: ContainerProbe;
  startupProbe?: ContainerProbe;
  securityContext?: ContainerSecurityContext;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
}

export interface PodVolume {
  name: string;
  emptyDir?: { medium?: string; sizeLimit?: Quantity };
  hostPath?: { path: string; type?: string };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  secret?: { secretName?: string; optional?: boolean; defaultMode?: number; items?: { key: string; path: string }[] };
  configMap?: { name?: string; optional?: boolean; defaultMode?: number; items?: { key: string; path: string }[] };
  downwardAPI?: { items?: { path: string; fieldRef?: { apiVersion?: string; fieldPath: string } }[] };
  projected?: { sources?: unknown[]; defaultMode?: number };
  image?: { reference?: string; pullPolicy?: string };
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: PodVolume[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  schedulerName?: string;
  priorityClassName?: string;
  runtimeClassName?: string;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  terminationGracePeriodSeconds?: number;
  hostname?: string;
  subdomain?: string;
  hostNetwork?: boolean;
  hostPID?: boolean;
  dnsPolicy?: string;
  dnsConfig?: PodDnsConfig;
  imagePullSecrets?: { name?: string }[];
  readinessGates?: { conditionType: string }[];
  securityContext?: PodSecurityContext;
  shareProcessNamespace?: boolean;
}

export interface ContainerStateWaiting {
  reason?: string;
  message?: string;
}

export interface ContainerStateTerminated {
  exitCode: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: string | null;
  finishedAt?: string | null;
  containerID?: string;
}

export interface ContainerState {
  waiting?: ContainerStateWaiting;
  running?: { startedAt?: string | null };
  terminated?: ContainerStateTerminated;
}

export interface ContainerStatus {
  name: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  state?: ContainerState;
  lastState?: ContainerState;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface PodStatus {
  phase?: PodPhase;
  reason?: string;
  message?: string;
  conditions?: Condition[];
  hostIP?: string;
  podIP?: string;
  podIPs?: { ip?: string }[];
  qosClass?: string;
  startTime?: string | null;
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

export interface Pod extends KubernetesObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface Node extends KubernetesObject {
  spec?: { unschedulable?: boolean; taints?: { key: string; value?: string; effect: string }[]; podCIDR?: string };
  status?: {
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    allocatable?: Record<string, Quantity>;
    capacity?: Record<string, Quantity>;
    nodeInfo?: { architecture?: string; kernelVersion?: string; kubeletVersion?: string; osImage?: string };
  };
}

/** core/v1 Event. */
export interface Event extends KubernetesObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  type?: 'Normal' | 'Warning';
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  count?: number;
  reportingComponent?: string;
  reportingInstance?: string;
  action?: string;
}

/** coordination.k8s.io/v1 Lease; its times have microseconds. */
export interface Lease extends KubernetesObject {
  spec?: {
    holderIdentity?: string | null;
    leaseDurationSeconds?: number | null;
    acquireTime?: string | null;
    renewTime?: string | null;
    leaseTransitions?: number | null;
  };
}

export interface Secret extends KubernetesObject {
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

export interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
}

export interface PersistentVolumeClaim extends KubernetesObject {
  spec?: {
    accessModes?: string[];
    volumeMode?: 'Filesystem' | 'Block';
    storageClassName?: string;
    volumeName?: string;
    resources?: ResourceRequirements;
  };
  status?: {
    phase?: 'Pending' | 'Bound' | 'Lost';
    accessModes?: string[];
    capacity?: Record<string, Quantity>;
  };
}

/** metav1.Status: what the API server answers for an error. */
export interface Status {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta;
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: StatusCause[];
    retryAfterSeconds?: number;
  };
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export type { IntOrString, Quantity };
