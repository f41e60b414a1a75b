import type { Quantity } from '../schemas/build.ts';
import type { Condition, KubernetesObject, ListMeta, ObjectReference } from './meta.ts';
import type { ResourceRequirements } from './pod.ts';

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
