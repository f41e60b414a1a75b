import type { Quantity } from '../schemas/build.ts';
import type {
  Affinity,
  PodDnsConfig,
  Toleration,
  TopologySpreadConstraint,
  Probe as VmiProbe,
} from '../schemas/pod-parts.ts';
import type { Condition, KubernetesObject } from './meta.ts';

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
  /** What the runtime has really been told; behind the spec while the pod is being resized. */
  resources?: ResourceRequirements;
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
