import { readJsonObject } from '../http/body.ts';
import type { Reply, RequestContext } from '../http/router.ts';
import {
  checkFreeze,
  checkGuestAgent,
  checkPause,
  checkReset,
  checkSoftReboot,
  checkUnpause,
  checkVnc,
} from './check.ts';
import type { Vmi } from './objects.ts';
import { dryRunOptions, freezeOptions } from './options.ts';
import type { ObjectClient } from './vm-calls.ts';
import { fetchVmi, type Handlers, nodeOf, refused, targetOf } from './vmi-request.ts';

export type VmiCall = (context: RequestContext) => Promise<Reply>;

interface Command {
  check: (vmi: Vmi) => void;
  options: (body: Readonly<Record<string, unknown>>) => { dryRun: boolean; forHandler?: object };
  /** Longer than virt-handler gives the launcher; default 10 s. */
  timeoutMs?: number;
}

/** A guest that freezes writes out first what it holds; the API server waits for a minute. */
const FREEZE_MS = 55_000;

const COMMANDS = {
  pause: { check: checkPause, options: dryRunOptions },
  unpause: { check: checkUnpause, options: dryRunOptions },
  softreboot: { check: checkSoftReboot, options: dryRunOptions },
  reset: { check: checkReset, options: dryRunOptions },
  freeze: { check: checkFreeze, options: freezeOptions, timeoutMs: FREEZE_MS },
  unfreeze: { check: checkFreeze, options: dryRunOptions, timeoutMs: FREEZE_MS },
} as const satisfies Record<string, Command>;

/** PUT pause, unpause, softreboot, reset, freeze and unfreeze: 200 once virt-handler has done it. */
export function commandCall(client: ObjectClient, handlers: Handlers, verb: keyof typeof COMMANDS): VmiCall {
  const { check, options, timeoutMs }: Command = COMMANDS[verb];
  return async (context) => {
    const { dryRun, forHandler: body } = options(await readJsonObject(context.request));
    const vmi = await fetchVmi(client, context);
    check(vmi);
    if (dryRun) return { status: 200 };
    const answer = await handlers.call(nodeOf(vmi), targetOf(context), 'PUT', verb, {
      signal: context.signal,
      ...(body ? { body } : {}),
      ...(timeoutMs ? { timeoutMs } : {}),
    });
    if (answer.status >= 300) throw refused(vmi, answer);
    return { status: 200 };
  };
}

/** GET guestosinfo, userlist and filesystemlist: what the handler's agent cache holds, as it is. */
export function guestCall(
  client: ObjectClient,
  handlers: Handlers,
  subresource: 'guestosinfo' | 'userlist' | 'filesystemlist',
): VmiCall {
  return async (context) => {
    const vmi = await fetchVmi(client, context);
    checkGuestAgent(vmi);
    const { signal } = context;
    const answer = await handlers.call(nodeOf(vmi), targetOf(context), 'GET', subresource, { signal });
    if (answer.status !== 200) throw refused(vmi, answer);
    return { status: 200, body: answer.body, contentType: 'application/json' };
  };
}

/** GET vnc/screenshot: the screen as it is now; with `moveCursor=true` after the guest's pointer was moved, which wakes it. */
export function screenshotCall(client: ObjectClient, handlers: Handlers): VmiCall {
  return async (context) => {
    const vmi = await fetchVmi(client, context);
    checkVnc(vmi);
    const { signal } = context;
    const path = `vnc/screenshot${context.query.get('moveCursor') === 'true' ? '?moveCursor=true' : ''}`;
    const answer = await handlers.call(nodeOf(vmi), targetOf(context), 'GET', path, { signal });
    if (answer.status !== 200) throw refused(vmi, answer);
    return { status: 200, body: answer.bytes, contentType: answer.contentType };
  };
}
