import type { Condition, ConditionStatus } from './kubernetes.ts';

interface HasConditions {
  status?: { conditions?: Condition[] | undefined } | undefined;
}

export function findCondition(object: HasConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the condition is there and True; an absent condition is not True. */
export function isConditionTrue(object: HasConditions, type: string): boolean {
  return findCondition(object, type)?.status === 'True';
}

export interface NewCondition {
  type: string;
  status: ConditionStatus;
  reason?: string | undefined;
  message?: string | undefined;
  /**
   * What a change of nothing but the message does. `keep` (the default) writes nothing, as clients of this API are
   * used to; `update` is for messages that carry the news, such as the latest error.
   */
  messageChange?: 'keep' | 'update';
}

/**
 * The list with the condition in it. The same list, identical, when nothing changes, so that callers can tell.
 * `lastTransitionTime` moves only with the status.
 * @param now RFC 3339
 */
export function setCondition(conditions: Condition[] | undefined, wanted: NewCondition, now: string): Condition[] {
  const before = conditions?.find((condition) => condition.type === wanted.type);
  if (conditions && before && !differs(before, wanted)) return conditions;
  const transition = before?.status === wanted.status ? (before.lastTransitionTime ?? null) : now;
  const after: Condition = {
    type: wanted.type,
    status: wanted.status,
    lastProbeTime: null,
    lastTransitionTime: transition,
    ...(wanted.reason ? { reason: wanted.reason } : {}),
    ...(wanted.message ? { message: wanted.message } : {}),
  };
  if (!before) return [...(conditions ?? []), after];
  return (conditions ?? []).map((condition) => (condition === before ? after : condition));
}

/** The list without the condition; the same list when it is not in it. */
export function removeCondition(conditions: Condition[] | undefined, type: string): Condition[] {
  if (!conditions) return [];
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

function differs(before: Condition, wanted: NewCondition): boolean {
  if (before.status !== wanted.status || (before.reason ?? '') !== (wanted.reason ?? '')) return true;
  return wanted.messageChange === 'update' && (before.message ?? '') !== (wanted.message ?? '');
}
