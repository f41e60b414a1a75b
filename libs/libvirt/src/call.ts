import { types } from 'node:util';
import { LibvirtError, LibvirtTimeoutError } from './errors.ts';
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

/** Submits a call to the native side and turns its answer into a promise of this realm. */
export function call<T>(name: string, options: CallOptions, submit: (done: Done<T>) => CallId): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const { signal, timeoutMs } = options;
  if (signal?.aborted) return Promise.reject(asError(signal.reason));
  let id: CallId | undefined;
  let timer: NodeJS.Timeout | undefined;

  const stop = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  const giveUp = (): boolean => {
    stop();
    return id === undefined ? false : native().abandon(id);
  };
  const onAbort = (): void => {
    giveUp();
    reject(asError(signal?.reason));
  };

  try {
    if (timeoutMs !== undefined) {
      checkTimeout(name, timeoutMs);
      timer = setTimeout(() => {
        const cancelled = giveUp();
        reject(new LibvirtTimeoutError(name, timeoutMs, !cancelled));
      }, timeoutMs);
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    id = submit((failure, value) => {
      stop();
      if (failure) reject(new LibvirtError(name, failure));
      else resolve(value);
    });
  } catch (error) {
    stop();
    reject(ownRealm(name, error));
  }
  return promise;
}

/** An error of the addon belongs to the realm that loaded it: `instanceof` would fail, so it is made anew here. */
function ownRealm(name: string, error: unknown): Error {
  if (!types.isNativeError(error)) return asError(error);
  if (error instanceof Error) return error;
  const { message, name: kind } = error as Error;
  return kind === 'TypeError' ? new TypeError(`${name}: ${message}`) : new Error(`${name}: ${message}`);
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
