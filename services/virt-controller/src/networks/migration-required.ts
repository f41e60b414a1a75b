import {
  type Condition,
  isRunning,
  type Pod,
  removeCondition,
  setCondition,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
} from '@yagura/api';
import { unattachedNetworks } from './interface-statuses.ts';

const REASON = 'NetworksNotAttached';

/** MigrationRequired while a running guest waits for networks that its pod does not have. */
export function withNetworkCondition(
  before: Condition[] | undefined,
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
  now: string,
): Condition[] {
  const type = VMI_CONDITIONS.migrationRequired;
  const unattached = isRunning(vmi) ? unattachedNetworks(vmi, pod) : [];
  if (unattached === undefined) return before ?? [];
  const waiting = unattached.map(({ name }) => name);
  if (waiting.length > 0) {
    const message = `the launcher pod does not have network ${waiting.join(', ')} yet: Multus' dynamic networks controller attaches it where there is one; otherwise the guest gets it when it is migrated or restarted`;
    return setCondition(before, { type, status: 'True', reason: REASON, message, messageChange: 'update' }, now);
  }
  // The condition may be somebody else's.
  const ours = before?.find((condition) => condition.type === type)?.reason === REASON;
  return ours ? removeCondition(before, type) : (before ?? []);
}
