import { defineResource, type KubeObject } from '@yagura/kube';
import type { StatusSubject } from '../http/status.ts';

/** What the subresources read of a VirtualMachine. */
export interface Vm extends KubeObject {
  spec?: { running?: boolean; runStrategy?: string; template?: { spec?: { startStrategy?: string } } };
  status?: {
    created?: boolean;
    ready?: boolean;
    printableStatus?: string;
    startFailure?: { consecutiveFailCount?: number };
    stateChangeRequests?: StateChangeRequest[];
    conditions?: Condition[];
  };
}

/** What the subresources read of a VirtualMachineInstance. */
export interface Vmi extends KubeObject {
  spec?: {
    terminationGracePeriodSeconds?: number;
    livenessProbe?: { guestAgentPing?: object };
    domain?: {
      features?: { acpi?: { enabled?: boolean } };
      devices?: { autoattachSerialConsole?: boolean; autoattachGraphicsDevice?: boolean };
    };
  };
  status?: {
    phase?: string;
    nodeName?: string;
    reason?: string;
    conditions?: Condition[];
    interfaces?: { ipAddress?: string; infoSource?: string }[];
  };
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  lastProbeTime?: string | null;
}

export interface StateChangeRequest {
  action: 'Start' | 'Stop';
  data?: Record<string, string>;
  uid?: string;
}

export const VirtualMachines = defineResource<Vm>('kubevirt.io/v1', 'VirtualMachine', 'virtualmachines');
export const VirtualMachineInstances = defineResource<Vmi>(
  'kubevirt.io/v1',
  'VirtualMachineInstance',
  'virtualmachineinstances',
);

export const vmSubject = (name: string): StatusSubject => ({ group: 'kubevirt.io', kind: 'virtualmachine', name });
export const vmiSubject = (name: string): StatusSubject => ({
  group: 'kubevirt.io',
  kind: 'virtualmachineinstance',
  name,
});

export function isFinal(vmi: Vmi): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed';
}

export function hasCondition(object: Vm | Vmi, type: string): boolean {
  return (
    object.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true
  );
}
