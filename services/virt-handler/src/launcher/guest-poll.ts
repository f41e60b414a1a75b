import { AnswerState, type GetGuestInfoResponse } from '@yagura/contracts';

/** While the agent has just connected, its first answers are waited for closely; later a change may take so long to show. */
const FIRST_MS = 20;
const SETTLED_MS = 2_000;
const FIRST_ROUND_MS = 3_000;

/** Whether all that goes into the status of the instance was answered, or will not be. */
export function guestSettled(info: GetGuestInfoResponse | undefined): boolean {
  return [info?.osStatus, info?.interfacesStatus].every(
    (status) => status?.observedAt !== undefined || status?.state === AnswerState.UNSUPPORTED,
  );
}

/** Milliseconds until the launcher is asked again what the agent said; `connectedMs` since its channel opened. */
export function guestPollMs(info: GetGuestInfoResponse | undefined, connectedMs: number): number {
  return !guestSettled(info) && connectedMs < FIRST_ROUND_MS ? FIRST_MS : SETTLED_MS;
}

/** What of the agent's answers shows in the status of an instance; two equal texts need no look at it. */
export function guestFingerprint(info: GetGuestInfoResponse | undefined): string {
  if (info === undefined) return '';
  const { os, interfaces, fsfreezeStatus, supportedCommands } = info;
  const settled = guestSettled(info);
  return JSON.stringify({
    os,
    interfaces,
    fsfreezeStatus,
    settled,
    commands: supportedCommands.filter(({ enabled }) => enabled).map(({ name }) => name),
  });
}
