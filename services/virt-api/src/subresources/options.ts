import { parseDuration } from '@yagura/api';
import { badRequest } from '../http/status.ts';

/** Bodies of the subresource calls, checked: a misspelt type is the client's error, not ours. */
export interface StartOptions {
  paused: boolean;
  dryRun: boolean;
}
export interface StopOptions {
  gracePeriod: number | undefined;
  dryRun: boolean;
}
export interface RestartOptions {
  gracePeriodSeconds: number | undefined;
  dryRun: boolean;
}
export interface DryRunOptions {
  dryRun: boolean;
}
export interface FreezeOptions {
  dryRun: boolean;
  /** The body that virt-handler takes. */
  forHandler: { unfreezeTimeout: unknown };
}

type Body = Readonly<Record<string, unknown>>;

export function startOptions(body: Body): StartOptions {
  const { paused } = body;
  if (paused !== undefined && paused !== null && typeof paused !== 'boolean')
    throw badRequest('paused must be a boolean');
  return { paused: paused === true, dryRun: dryRunOf(body) };
}

export function stopOptions(body: Body): StopOptions {
  return { gracePeriod: seconds(body, 'gracePeriod'), dryRun: dryRunOf(body) };
}

export function restartOptions(body: Body): RestartOptions {
  const gracePeriodSeconds = seconds(body, 'gracePeriodSeconds');
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds !== 0)
    throw badRequest(`gracePeriodSeconds must be 0 (force restart) or absent, not ${gracePeriodSeconds}`);
  return { gracePeriodSeconds, dryRun: dryRunOf(body) };
}

export function dryRunOptions(body: Body): DryRunOptions {
  return { dryRun: dryRunOf(body) };
}

/** A guest whose files nobody thaws hangs sooner or later, so a freeze without a word about its end has one. */
const DEFAULT_UNFREEZE = '5m';

export function freezeOptions(body: Body): FreezeOptions {
  const { unfreezeTimeout = DEFAULT_UNFREEZE } = body;
  const milliseconds = typeof unfreezeTimeout === 'string' ? parseDuration(unfreezeTimeout) : undefined;
  if (milliseconds === undefined || milliseconds < 0)
    throw badRequest(`unfreezeTimeout must be a duration, such as "5m", not ${JSON.stringify(unfreezeTimeout)}`);
  return { dryRun: dryRunOf(body), forHandler: { unfreezeTimeout } };
}

function dryRunOf(body: Body): boolean {
  const { dryRun } = body;
  if (dryRun === undefined || dryRun === null) return false;
  if (!Array.isArray(dryRun) || dryRun.some((item) => item !== 'All'))
    throw badRequest('dryRun must be a list that holds nothing but "All"');
  return dryRun.length > 0;
}

function seconds(body: Body, field: string): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw badRequest(`${field} must be a whole number of seconds`);
  if (value < 0) throw badRequest(`${field} must not be negative: ${value}`);
  return value;
}
