import { KubeError, type Status, type StatusCause } from '@yagura/kube';

const REASONS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** What a failure is about: `kind` is the singular, lower-case resource name, as API machinery writes it. */
export interface StatusSubject {
  group: string;
  kind: string;
  name: string;
}

/** A failure that the client is told as a metav1.Status. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly subject: StatusSubject | undefined;
  readonly causes: readonly StatusCause[];

  constructor(code: number, message: string, about: { subject?: StatusSubject; causes?: readonly StatusCause[] } = {}) {
    super(message);
    this.code = code;
    this.reason = REASONS[code] ?? '';
    this.subject = about.subject;
    this.causes = about.causes ?? [];
  }
}

const named = (subject: StatusSubject): string => `${subject.kind}.${subject.group} "${subject.name}"`;

export function notFound(subject: StatusSubject): StatusError {
  return new StatusError(404, `${named(subject)} not found`, { subject });
}

/** The object is not in a state in which this can be done. */
export function conflict(subject: StatusSubject, why: string): StatusError {
  return new StatusError(409, `Operation cannot be fulfilled on ${named(subject)}: ${why}`, { subject });
}

export function forbidden(subject: StatusSubject, why: string): StatusError {
  return new StatusError(403, `${named(subject)} is forbidden: ${why}`, { subject });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, `Internal error occurred: ${message}`);
}

/** The wire form of any thrown thing. An API server's own Status is passed on, so that its code and reason survive. */
export function statusOf(error: unknown): Status & { code: number } {
  const base = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const;
  if (error instanceof StatusError) {
    const { subject, causes } = error;
    const details = { ...subject, ...(causes.length > 0 ? { causes: [...causes] } : {}) };
    return {
      ...base,
      message: error.message,
      ...(error.reason ? { reason: error.reason } : {}),
      ...(Object.keys(details).length > 0 ? { details } : {}),
      code: error.code,
    };
  }
  if (error instanceof KubeError && error.code >= 400) {
    const reason = error.reason || REASONS[error.code];
    return { ...base, message: error.message, ...(reason ? { reason } : {}), details: error.details, code: error.code };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { ...base, message: `Internal error occurred: ${message}`, reason: 'InternalError', code: 500 };
}
