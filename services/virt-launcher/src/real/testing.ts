import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Domain, type RpcError } from '@yagura/contracts';
import { Pod, whyNot } from './pod.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** A describe() that needs real libvirt and QEMU: without them it fails, with what is missing in its name. */
export function real(name: string, body: () => void): void {
  const reason = whyNot();
  if (reason === undefined) {
    describe(name, body);
    return;
  }
  test(`${name}: CANNOT RUN, ${reason}`, () => {
    throw new Error(reason);
  });
}

/** QEMU may first have to be probed for what it can do. */
export const SYNC = { timeoutMs: 60_000 };

/** Runs a test with a launcher of its own; shows the pod's log when it fails. */
export async function withPod(test: (pod: Pod) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  const pod = Pod.start(MAIN, env);
  try {
    await started(pod);
    await test(pod);
  } catch (error) {
    process.stderr.write(pod.log.split('\n').slice(-40).join('\n'));
    throw error;
  } finally {
    await pod.destroy();
  }
}

/** Waits for a condition and gives what it gave; an error of `look` counts as not yet. */
export async function until<T>(what: string, withinMs: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + withinMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await delay(50);
  }
  throw new Error(`not within ${withinMs} ms: ${what}`, { cause: last });
}

async function started(pod: Pod): Promise<void> {
  await until('the launcher answers and has libvirt', 20_000, async () => (await domainOf(pod)).libvirt?.connected);
}

export async function domainOf(pod: Pod): Promise<Domain> {
  const { domain } = await pod.calls.getDomain({}, { timeoutMs: 15_000 });
  if (domain === undefined) throw new Error('no domain in the answer');
  return domain;
}

export async function endOf(pod: Pod, withinMs: number): Promise<NonNullable<Domain['end']>> {
  return until('the domain has ended', withinMs, async () => (await domainOf(pod)).end);
}

/** The error that a call ends with. */
export async function failure(call: Promise<unknown>): Promise<RpcError> {
  const [result] = await Promise.allSettled([call]);
  if (result.status === 'fulfilled') throw new Error('the call succeeded');
  return result.reason as RpcError;
}
