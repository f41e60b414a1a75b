import type { JsonValue, Sample } from '../observation.ts';
import type { ConditionView } from './view.ts';

/** Read from the API server at the moment of the request, so what was found is as live as the answer itself. */
export const MAX_AGE_SECONDS = 5;
export const NO_OBJECT = 'no such object';

export function sample(field: string, value: JsonValue | undefined, source: string, readAt: Date): Sample {
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
export function conditionSample(owner: string, condition: ConditionView, source: string, readAt: Date): Sample {
  return {
    ...sample(`${owner}.condition.${condition.type}`, conditionText(condition), source, readAt),
    since: toDate(condition.lastTransitionTime),
  };
}

/** Something that could not be looked up: unknown, which is neither absent nor empty. */
export function unanswered(field: string, source: string, error: string): Sample {
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

export function toDate(time: string | null | undefined): Date | undefined {
  return time ? new Date(time) : undefined;
}

export function join(first: string, second: string | undefined): string {
  return [first, second].filter((part) => part !== undefined && part !== '').join(': ');
}

/** `Status: Reason: Message`, without what is empty. */
export function conditionText(condition: Pick<ConditionView, 'status' | 'reason' | 'message'>): string {
  return condition.reason || condition.message
    ? `${condition.status}: ${join(condition.reason ?? '', condition.message)}`
    : condition.status;
}
