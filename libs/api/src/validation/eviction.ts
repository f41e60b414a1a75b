import { VMI_CONDITIONS } from '../condition-types.ts';
import { isConditionTrue } from '../conditions.ts';
import type { ClusterConfig } from '../config.ts';
import type { Pod } from '../kubernetes.ts';
import { isPodDown } from '../phases.ts';
import type { VirtualMachineInstance } from '../types.ts';

export type EvictionDecision =
  /** The pod may be evicted: its guest is shut down or gone. */
  | { allowed: true }
  /** Not now. `mark`: the instance is to be told to leave this node. */
  | { allowed: false; message: string; mark?: string };

/**
 * Whether a launcher pod may be evicted.
 * @param vmi the instance that controls the pod; undefined when there is none
 * @param migrations whether guests can be migrated at all: an eviction must not wait for a move that nobody makes
 */
export function decideEviction(
  pod: Pod,
  vmi: VirtualMachineInstance | undefined,
  config: Pick<ClusterConfig, 'evictionStrategy'>,
  migrations: boolean,
): EvictionDecision {
  if (!vmi || isPodDown(pod.status?.phase)) return { allowed: true };
  const strategy = vmi.spec.evictionStrategy || config.evictionStrategy;
  const migratable = migrations && isConditionTrue(vmi, VMI_CONDITIONS.liveMigratable);
  const { name, namespace } = vmi.metadata;
  if (strategy === 'LiveMigrate' && !migratable) {
    return {
      allowed: false,
      message: `VMI ${name} is configured with an eviction strategy but is not live-migratable`,
    };
  }
  const moves =
    strategy === 'External' || strategy === 'LiveMigrate' || (strategy === 'LiveMigrateIfPossible' && migratable);
  if (!moves) return { allowed: true };
  const node = vmi.status?.nodeName;
  if (node !== pod.spec.nodeName) return { allowed: false, message: 'Eviction request for target Pod' };
  const message = `Eviction triggered evacuation of VMI "${namespace}/${name}"`;
  if (vmi.status?.evacuationNodeName) return { allowed: false, message: `Evacuation in progress: ${message}` };
  return { allowed: false, message, ...(node ? { mark: node } : {}) };
}
