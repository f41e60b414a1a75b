import { ERROR_CODES, ERROR_DOMAINS, type ErrorCode, type ErrorDomain } from './error-codes.ts';
import { nameOf, type Unlisted } from './states.ts';

export type ErrorLevel = 'none' | 'warning' | 'error';

/** What the native side copies of virGetLastError, on the thread where the call failed. */
export interface NativeFailure {
  code: number;
  domain: number;
  level: number;
  message: string;
}

/** A call that libvirt refused or failed. Compare by `code`; `message` is libvirt's own text. */
export class LibvirtError extends Error {
  override readonly name = 'LibvirtError';
  /** The call, as `Domain.create`. */
  readonly call: string;
  /** libvirt's error code by name without `VIR_ERR_`, such as `NO_DOMAIN`. */
  readonly code: ErrorCode | Unlisted;
  /** libvirt's number of the code. */
  readonly codeNumber: number;
  /** The part of libvirt that raised it, without `VIR_FROM_`, such as `QEMU`. */
  readonly domain: ErrorDomain | Unlisted;
  readonly domainNumber: number;
  readonly level: ErrorLevel;

  constructor(call: string, failure: NativeFailure) {
    super(failure.message);
    this.call = call;
    this.codeNumber = failure.code;
    this.code = nameOf(ERROR_CODES, failure.code);
    this.domainNumber = failure.domain;
    this.domain = nameOf(ERROR_DOMAINS, failure.domain);
    this.level = (['none', 'warning', 'error'] as const)[failure.level] ?? 'error';
  }
}

/**
 * A call that gave no answer in time. If `started`, libvirt may still carry it out: what became of it is unknown.
 * If not, it was taken off the queue and will never run.
 */
export class LibvirtTimeoutError extends Error {
  override readonly name = 'LibvirtTimeoutError';
  readonly call: string;
  readonly timeoutMs: number;
  readonly started: boolean;

  constructor(call: string, timeoutMs: number, started: boolean) {
    const after = started
      ? 'libvirt has not answered; the call may still take effect'
      : 'it was still queued and will not run';
    super(`${call}: no answer within ${timeoutMs} ms (${after})`);
    this.call = call;
    this.timeoutMs = timeoutMs;
    this.started = started;
  }
}

/** Use of a Connection or Domain after its close(). */
export class HandleClosedError extends TypeError {
  override readonly name = 'HandleClosedError';
}

/** True for a LibvirtError with one of the codes (any, when none is given). */
export function isLibvirtError(error: unknown, ...codes: readonly ErrorCode[]): error is LibvirtError {
  return error instanceof LibvirtError && (codes.length === 0 || (codes as readonly string[]).includes(error.code));
}

/** Why an agent call failed: no channel in the domain, nobody at its other end, no answer, or the agent's own refusal. */
export type AgentProblem = 'not-configured' | 'not-connected' | 'no-answer' | 'refused';

/** What an error of an agent call says of the agent, over all versions of libvirt; undefined when it is not about it. */
export function agentProblem(error: unknown): AgentProblem | undefined {
  if (!isLibvirtError(error)) return undefined;
  const { code, message } = error;
  if (code === 'ARGUMENT_UNSUPPORTED' && /agent is not configured/.test(message)) return 'not-configured';
  if (code === 'AGENT_UNRESPONSIVE' && /not connected/.test(message)) return 'not-connected';
  if (code === 'AGENT_UNRESPONSIVE' || code === 'AGENT_COMMAND_TIMEOUT' || code === 'AGENT_UNSYNCED')
    return 'no-answer';
  // Before 11.2 the agent's errors have no code of their own.
  if (code === 'AGENT_COMMAND_FAILED' || /QEMU agent command/.test(message)) return 'refused';
  return undefined;
}

/** True when the error says that the daemon is gone or the connection to it is dead: reopen to go on. */
export function isConnectionLost(error: unknown): boolean {
  if (isLibvirtError(error, 'RPC', 'INVALID_CONN', 'NO_CONNECT')) return true;
  // libvirt reports a socket that ended under a call as an internal error or a system error of its RPC layer.
  if (isLibvirtError(error, 'INTERNAL_ERROR', 'SYSTEM_ERROR')) {
    return ['RPC', 'REMOTE'].includes(error.domain) || /client socket is closed/.test(error.message);
  }
  return error instanceof HandleClosedError;
}
