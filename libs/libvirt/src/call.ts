import { types } from 'node:util';
import { LibvirtError, LibvirtTimeoutError, type NativeFailure } from './errors.ts';
import { describe } from './flags.ts';
import { type CallId, type Done, native } from './native.ts';

/**
 * Bounds of one call. The promise is rejected at once when `signal` aborts (with its reason) or after `timeoutMs`
 * (LibvirtTimeoutError), even while libvirt is stuck in it. A call that was still queued is then never made.
 */
export interface CallOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Submits a call to the native side and waits for its answer. */
export async function call<T>(name: string, options: CallOptions, submit: (done: Done<T>) => CallId): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<Outcome<T>>();
  const { signal, timeoutMs } = options;
  if (timeoutMs !== undefined) checkTimeout(name, timeoutMs);
  if (signal?.aborted) throw asError(signal.reason);

  let id: CallId;
  try {
    id = submit((failure, value) => resolve(failure ? { kind: 'failed', failure } : { kind: 'answered', value }));
  } catch (error) {
    throw ownRealm(name, error);
  }
  const onAbort = (): void => {
    native().abandon(id);
    resolve({ kind: 'aborted' });
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const onTimeout = (): void => resolve({ kind: 'late', started: !native().abandon(id) });
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);

  const outcome = await promise;
  clearTimeout(timer);
  signal?.removeEventListener('abort', onAbort);
  // Errors are made here and not where the answer arrives, so that their stack shows the caller.
  switch (outcome.kind) {
    case 'answered':
      return outcome.value;
    case 'failed':
      throw new LibvirtError(name, outcome.failure);
    case 'aborted':
      throw asError(signal?.reason);
    case 'late':
      throw new LibvirtTimeoutError(name, timeoutMs ?? 0, outcome.started);
  }
}

type Outcome<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'failed'; failure: NativeFailure }
  | { kind: 'aborted' }
  | { kind: 'late'; started: boolean };

/** An error of the addon belongs to the realm that loaded it, where `instanceof` fails: it is made anew here. */
function ownRealm(name: string, error: unknown): Error {
  if (!types.isNativeError(error)) return asError(error);
  return error.name === 'TypeError' ? new TypeError(`${name}: ${error.message}`) : error;
}

function asError(reason: unknown): Error {
  return types.isNativeError(reason) ? reason : new Error(String(reason));
}

function checkTimeout(name: string, timeoutMs: number): void {
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 0 && timeoutMs < 2 ** 31)) {
    throw new TypeError(`${name}: timeoutMs must be a number of milliseconds, got ${describe(timeoutMs)}`);
  }
}

export function checkString(what: string, value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string, got ${describe(value)}`);
  if (value.includes('\0')) throw new TypeError(`${what} must not contain a NUL character`);
  return value;
}

export function checkInteger(what: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new TypeError(`${what} must be an integer from ${min} to ${max}, got ${describe(value)}`);
  }
  return value;
}

export function checkUint64(what: string, value: unknown): bigint {
  if (typeof value !== 'bigint' || value < 0n || value >= 2n ** 64n) {
    throw new TypeError(`${what} must be a bigint from 0 to 2^64-1, got ${describe(value)}`);
  }
  return value;
}
