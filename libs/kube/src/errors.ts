/** metav1.Status, as far as clients read it. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}
export interface Status {
  kind?: string;
  apiVersion?: string;
  status?: string;
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** The API server answered, and the answer is a failure. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status. */
  readonly code: number;
  /** metav1.StatusReason such as `NotFound`; empty when the server gave none. */
  readonly reason: string;
  readonly details: StatusDetails;
  /** Milliseconds the server asked to wait (Retry-After or details.retryAfterSeconds). */
  readonly retryAfterMs: number | undefined;

  constructor(status: Status, request: string, retryAfterMs?: number) {
    super(`${request}: ${status.message || status.reason || `HTTP ${status.code ?? 0}`}`);
    this.code = status.code ?? 0;
    this.reason = status.reason ?? '';
    this.details = status.details ?? {};
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (seconds ? seconds * 1000 : undefined);
  }
}

/** No complete answer arrived: refused, reset, timed out, TLS. Whether the server acted is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly timedOut: boolean;

  constructor(request: string, cause: unknown, timedOut = false) {
    super(`${request}: no answer from the API server: ${errorText(cause)}`);
    this.timedOut = timedOut;
  }
}

const hasReason = (error: unknown, code: number, ...reasons: string[]): boolean =>
  error instanceof KubeError && (reasons.includes(error.reason) || (error.reason === '' && error.code === code));

export const isNotFound = (error: unknown): boolean => hasReason(error, 404, 'NotFound');
/** Somebody else wrote first: the resourceVersion (or a precondition) did not match. */
export const isConflict = (error: unknown): boolean => hasReason(error, 409, 'Conflict');
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, -1, 'AlreadyExists');
/** The resourceVersion is too old to watch or list from. */
export const isExpired = (error: unknown): boolean => hasReason(error, 410, 'Expired', 'Gone');
export const isForbidden = (error: unknown): boolean => hasReason(error, 403, 'Forbidden');
export const isInvalid = (error: unknown): boolean => hasReason(error, 422, 'Invalid') && !isFailedPatchTest(error);
/** A JSON patch whose `test` operation failed: the API server answers 422 and, unlike for an invalid object, says of what neither kind nor causes. */
export const isFailedPatchTest = (error: unknown): boolean =>
  error instanceof KubeError && error.code === 422 && !error.details.causes?.length && !error.details.kind;

/** The message alone: where in the HTTP client an answer was met says nothing. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
