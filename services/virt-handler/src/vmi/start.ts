import { type ClusterConfig, findCondition, type VirtualMachineInstance, VMI_CONDITIONS } from '@yagura/api';
import { RpcError, Status } from '@yagura/contracts';
import { TerminalError } from '@yagura/kube';
import { errorMessage } from '@yagura/runtime';
import type { LauncherLink } from '../launcher/launcher-link.ts';
import type { SocketLinks } from '../launcher/socket-links.ts';
import { NetworkError } from '../network/plan.ts';
import type { PodPaths } from '../pod/paths.ts';
import { synchronized } from './conditions.ts';
import type { VmiEvents } from './events.ts';
import type { Hotplug } from './hotplug.ts';
import type { Preparation } from './preparation.ts';
import type { StatusWriter } from './status-writer.ts';
import { syncRequest } from './sync-request.ts';
import { CALL_PATIENCE_MS, isActive, rfc3339, startOf, type Target } from './target.ts';
import { undescribedClaims } from './volume-options.ts';

/** For so long, what a starting pod still lacks is no news. */
const QUIET_MS = 60_000;
const RETRY_MS = 200;
/** A start waits so long for volumes that may come later. */
const HOTPLUG_WAIT_MS = 20_000;
/** Longer than the launcher's own patience with libvirt, so that its word is the one that counts. */
const SYNC_TIMEOUT_MS = 75_000;

const TRANSIENT: Status[] = [Status.UNAVAILABLE, Status.FAILED_PRECONDITION, Status.DEADLINE_EXCEEDED];
const STILL_STARTING = 'the launcher has been starting the domain for more than a minute';

export interface VmiStartParts {
  paths: PodPaths;
  links: SocketLinks;
  preparation: Preparation;
  hotplug: Pick<Hotplug, 'mount'>;
  writer: StatusWriter;
  events: VmiEvents;
  config: () => ClusterConfig;
  /** How long a look waits for a start; default 2 s. */
  patienceMs?: number;
  now?: () => number;
}

/** The start of a run: the pod is given what it needs, then the launcher is told what to run. */
export class VmiStart {
  readonly #parts: VmiStartParts;

  constructor(parts: VmiStartParts) {
    this.#parts = parts;
  }

  async start(target: Target): Promise<'started' | { requeueAfterMs: number }> {
    const { pod, link, memory, context } = target;
    if (link === undefined) return { requeueAfterMs: RETRY_MS };
    const now = this.#parts.now ?? Date.now;
    const since = (memory.startingSince ??= now());
    const isQuiet = () => now() - since < QUIET_MS;
    try {
      const patienceMs = this.#parts.patienceMs ?? CALL_PATIENCE_MS;
      const bring = async () => this.#bring(target, link);
      if (await memory.calls.ended(startOf(pod), patienceMs, bring)) return 'started';
    } catch (error) {
      if (context.signal.aborted) throw error;
      if (isTransient(error) && isQuiet()) return { requeueAfterMs: RETRY_MS };
      await this.#syncFailed(target, error);
      if (isPermanent(error)) throw new TerminalError(errorMessage(error), { cause: error });
      throw error;
    }
    // Slow is not wrong, until it is too slow; the domain's appearance is told by its stream.
    if (!isQuiet()) await this.complain(target, STILL_STARTING);
    return { requeueAfterMs: 1_000 };
  }

  /** Everything is found as an earlier try left it, in the pod and in the launcher. */
  async #bring(target: Target, link: LauncherLink): Promise<void> {
    const { vmi, pod, memory, context } = target;
    const { namespace = '', name, uid = '' } = vmi.metadata;
    const began = Date.now();
    checkDescribed(vmi);
    const host = this.#parts.paths.hostLauncherSocket(pod.metadata.uid ?? '');
    const [interfaces, hotplug] = await Promise.all([
      this.#parts.preparation.prepare(vmi, pod, context.signal),
      this.#hotplug(target),
      this.#parts.links.ensure({ vmiUid: uid, namespace, name, target: host }),
    ]);
    const prepared = Date.now();
    const request = syncRequest(vmi, this.#parts.config(), interfaces, hotplug);
    const { domain } = await link.calls.syncVirtualMachine(request, {
      timeoutMs: SYNC_TIMEOUT_MS,
      signal: context.signal,
    });
    memory.startingSince = undefined;
    if (isActive(domain)) this.#parts.events.created(vmi);
    link.take(domain);
    const times = { preparedMs: prepared - began, syncedMs: Date.now() - prepared };
    context.log.info({ vmi: `${namespace}/${name}`, ...times }, 'domain started');
  }

  /** Volumes that come and go are waited for a while; the guest may start without them, and gets them later. */
  async #hotplug({ vmi, pod, memory }: Target): Promise<ReadonlyMap<string, string>> {
    const { paths, waiting } = await this.#parts.hotplug.mount(vmi, pod);
    const since = memory.startingSince ?? 0;
    if (waiting.length > 0 && (this.#parts.now ?? Date.now)() - since < HOTPLUG_WAIT_MS) {
      throw new RpcError(Status.UNAVAILABLE, `volume ${waiting.join(', ')} is still being attached to the node`);
    }
    return paths;
  }

  async #syncFailed(target: Target, error: unknown): Promise<void> {
    // A launcher's answer is its own message; the cause of an RpcError is the same text again.
    const message = error instanceof RpcError ? error.message : errorMessage(error);
    this.#parts.events.syncFailed(target.vmi, message);
    await this.#notSynchronized(target, message);
  }

  /** Says once what keeps the instance from being looked after, for as long as it does. */
  async complain(target: Target, message: string): Promise<void> {
    if (findCondition(target.vmi, VMI_CONDITIONS.synchronized)?.message === message) return;
    this.#parts.events.syncFailed(target.vmi, message);
    await this.#notSynchronized(target, message);
  }

  async #notSynchronized({ vmi, context }: Target, message: string): Promise<void> {
    await this.#parts.writer.write(
      vmi,
      ({ status = {} }) => ({ ...status, conditions: synchronized(status.conditions ?? [], message, rfc3339()) }),
      context.signal,
    );
  }
}

/** virt-controller describes the claims when it hands the instance over, which may be a moment later than its pod runs. */
function checkDescribed(vmi: VirtualMachineInstance): void {
  const [volume] = undescribedClaims(vmi);
  if (volume === undefined) return;
  throw new RpcError(Status.UNAVAILABLE, `virt-controller has not described the claim of volume "${volume}" yet`);
}

/** Not there yet, as opposed to wrong. */
function isTransient(error: unknown): boolean {
  return error instanceof RpcError && TRANSIENT.includes(error.code);
}

/** Wrong in the spec, which cannot change any more. */
function isPermanent(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof RpcError && error.code === Status.INVALID_ARGUMENT);
}
