import { isFinal } from '@yagura/api';
import { RpcError, Status } from '@yagura/contracts';
import type { Launchers } from '../launcher/launchers.ts';
import type { Sweeper } from '../pod/sweeper.ts';
import type { VmiEvents } from './events.ts';
import { GUEST_PANICKED, type RunEnd } from './outcome.ts';
import { endedStatus } from './status.ts';
import type { StatusWriter } from './status-writer.ts';
import { isActive, rfc3339, type Target } from './target.ts';

/** A QEMU that does not react is killed by the launcher, which takes its time. */
const KILL_TIMEOUT_MS = 20_000;

/** The launcher may wait for a mute guest agent before it presses the power button. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

export interface VmiEndingParts {
  launchers: Launchers;
  writer: StatusWriter;
  events: VmiEvents;
  /** Takes away what is left of pods that have ended. */
  sweeper: Pick<Sweeper, 'sweep' | 'dismiss'>;
}

/** The end of a run: asked for, enforced, recorded, and cleared away. */
export class VmiEnding {
  readonly #parts: VmiEndingParts;

  constructor(parts: VmiEndingParts) {
    this.#parts = parts;
  }

  async shutdown({ vmi, link, memory }: Target): Promise<void> {
    // Noted first: a launcher that is slow to answer may have passed the request on all the same.
    memory.shutdownSentAt = Date.now();
    this.#parts.events.shuttingDown(vmi);
    await link?.calls.shutdownVirtualMachine({}, { timeoutMs: SHUTDOWN_TIMEOUT_MS }).catch((error: unknown) => {
      if (RpcError.from(error).code !== Status.DEADLINE_EXCEEDED) throw error;
    });
  }

  async kill({ link }: Target): Promise<void> {
    await link?.calls.killVirtualMachine({}, { timeoutMs: KILL_TIMEOUT_MS });
  }

  async record(target: Target, end: RunEnd): Promise<void> {
    const { vmi, context } = target;
    const written = await this.#parts.writer.write(
      vmi,
      (current) => (isFinal(current) ? (current.status ?? {}) : endedStatus(current, end, rfc3339())),
      context.signal,
    );
    if (end.reason === GUEST_PANICKED) this.#parts.events.guestPanicked(written, end.message);
    this.#parts.events.stopped(written, end);
    await this.dismiss({ ...target, vmi: written });
  }

  /** Lets the launcher go once its instance is over, and takes its disks away, which would hold the pod's end up. */
  async dismiss(target: Target): Promise<void> {
    const { vmi, pod, link, memory, context } = target;
    const podUid = pod.metadata.uid ?? '';
    if (link !== undefined && !memory.dismissed) {
      try {
        // The object is the judge: an instance that is final must not run on.
        if (isActive(link.domain)) await this.kill(target);
        await link.calls.deleteVirtualMachine({}, { signal: context.signal });
        memory.dismissed = true;
        this.#parts.launchers.drop(podUid);
        this.#parts.events.deleted(vmi);
      } catch (error) {
        // A launcher that has gone already needs no telling; one that is deaf is ended with its pod.
        if (RpcError.from(error).code !== Status.UNAVAILABLE) throw error;
      }
    }
    this.#parts.sweeper.dismiss(podUid);
    await this.#parts.sweeper.sweep();
  }
}
