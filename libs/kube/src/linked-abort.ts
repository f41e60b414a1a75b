/** A signal for one attempt of something: it aborts with the long-lived one, or alone. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Ends this attempt only. */
  abort(reason?: unknown): void;
  /** To be called when the attempt is over. */
  release(): void;
}

/**
 * What `AbortSignal.any` does, for callers that know when they are done: that one leaves an entry with the long-lived signal for
 * every signal derived from it, for as long as the process lives.
 */
export function linkedAbort(longLived: AbortSignal): LinkedAbort {
  const own = new AbortController();
  const follow = () => own.abort(longLived.reason);
  if (longLived.aborted) follow();
  else longLived.addEventListener('abort', follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release: () => longLived.removeEventListener('abort', follow),
  };
}
