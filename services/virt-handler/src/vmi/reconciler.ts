import { type ClusterConfig, COMPUTE_CONTAINER, isFinal, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { type Domain, DomainState, RpcError, Status } from '@yagura/contracts';
import {
  formatKey,
  type Informer,
  isNotFound,
  type KubeClient,
  type ObjectName,
  type ReconcileContext,
  type ReconcileResult,
  TerminalError,
} from '@yagura/kube';
import { errorMessage } from '@yagura/runtime';
import { guestSettled } from '../launcher/guest-poll.ts';
import type { LauncherLink } from '../launcher/launcher-link.ts';
import type { Launchers } from '../launcher/launchers.ts';
import type { SocketLinks } from '../launcher/socket-links.ts';
import { NetworkError } from '../network/plan.ts';
import {
  computeEnd,
  containersNotRunning,
  newestPod,
  podIPs,
  runningContainer,
  vmiUidOf,
} from '../pod/launcher-pod.ts';
import type { PodPaths } from '../pod/paths.ts';
import type { ContainerProcesses } from '../pod/processes.ts';
import type { Sweeper } from '../pod/sweeper.ts';
import { synchronized } from './conditions.ts';
import { type Decision, decide, SILENCE_GRACE_MS } from './decide.ts';
import type { VmiEvents } from './events.ts';
import { migratability } from './migratable.ts';
import type { RunEnd } from './outcome.ts';
import type { Preparation } from './preparation.ts';
import { Vmis } from './resources.ts';
import { endedStatus, observedStatus } from './status.ts';
import type { StatusWriter } from './status-writer.ts';
import { syncRequest } from './sync-request.ts';

export interface ReconcilerParts {
  nodeName: string;
  client: Pick<KubeClient, 'get'>;
  vmis: Pick<Informer<VirtualMachineInstance>, 'store'>;
  /** Launcher pods of this node, with an index `vmi` by `namespace/name` of the instance. */
  pods: Pick<Informer<Pod>, 'store'>;
  launchers: Launchers;
  paths: PodPaths;
  links: SocketLinks;
  processes: ContainerProcesses;
  preparation: Preparation;
  writer: StatusWriter;
  events: VmiEvents;
  /** Takes away what is left of pods that have ended. */
  sweeper: Pick<Sweeper, 'sweep' | 'dismiss'>;
  config: () => ClusterConfig;
  knowsHostModel: () => boolean;
}

/** The first answers of an agent are waited for so long, to be written together with its connection. */
const SETTLE_MS = 200;
/** Those that come later are waited for one another so long, to be written together. */
const ANSWERS_MS = 5_000;
/** For so long, what a starting pod still lacks is no news. */
const QUIET_MS = 60_000;
const SYNC_TIMEOUT_MS = 20_000;

/** What is remembered of an instance between two looks; losing it costs nothing but a repetition. */
interface Memory {
  uid: string | undefined;
  shutdownSentAt: number | undefined;
  startingSince: number | undefined;
  dismissed: boolean;
}

/** Brings one instance of this node to what its object says, and its object to what the node says. */
export class VmiReconciler {
  readonly #parts: ReconcilerParts;
  readonly #memory = new Map<string, Memory>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  async reconcile(request: ObjectName, context: ReconcileContext): Promise<ReconcileResult | void> {
    const key = formatKey(request);
    const pods = this.#parts.pods.store.byIndex('vmi', key);
    const vmi = await this.#find(request, pods, context.signal);
    if (vmi === undefined) {
      this.#memory.delete(key);
      return;
    }
    const pod = newestPod(pods.filter((candidate) => vmiUidOf(candidate) === vmi.metadata.uid));
    const elsewhere = vmi.status?.nodeName !== undefined && vmi.status.nodeName !== this.#parts.nodeName;
    // Without a launcher here there is nothing to say: virt-controller knows what a missing pod means.
    if (pod === undefined || elsewhere) return;
    const memory = this.#remember(key, vmi);
    const link = this.#link(pod, key, memory);
    const target: Target = { vmi, pod, link, memory, context };
    if (isFinal(vmi)) return this.#dismiss(target);
    return this.#act(target, await this.#decide(target));
  }

  /** A launcher that has ended or was told to is not connected to again: an open stream would hold its end up. */
  #link(pod: Pod, key: string, memory: Memory): LauncherLink | undefined {
    const { launchers } = this.#parts;
    const over = memory.dismissed || computeEnd(pod) !== undefined;
    return over ? launchers.get(pod.metadata.uid ?? '') : launchers.ensure(pod, key);
  }

  async #act(target: Target, decision: Decision): Promise<ReconcileResult | void> {
    switch (decision.type) {
      case 'wait':
        return later(decision.afterMs);
      case 'start':
        return this.#start(target);
      case 'observe':
        return this.#observe(target);
      case 'shutdown':
        await this.#shutdown(target);
        return later(decision.afterMs);
      case 'kill':
        await target.link?.calls.killVirtualMachine({}, { timeoutMs: SYNC_TIMEOUT_MS });
        return later(decision.afterMs);
      case 'dismiss':
        return this.#dismiss(target);
      case 'end':
        await this.#end(target, decision.end);
    }
  }

  async #decide({ vmi, pod, link, memory }: Target): Promise<Decision> {
    const compute = runningContainer(pod, COMPUTE_CONTAINER);
    const silentMs = link?.silentMs();
    const overdue = compute !== undefined && (silentMs ?? 0) > SILENCE_GRACE_MS;
    const decision = decide({
      vmi,
      podDeleting: pod.metadata.deletionTimestamp !== undefined,
      compute: computeEnd(pod) ?? (compute === undefined ? 'waiting' : 'running'),
      complete: containersNotRunning(pod).length === 0,
      domain: link?.domain,
      silentMs,
      qemuRuns: overdue ? await this.#parts.processes.runs(compute, 'qemu') : undefined,
      now: Date.now(),
      shutdownSentAt: memory.shutdownSentAt,
    });
    // Nobody will tell when silence has lasted long enough.
    if (silentMs !== undefined && silentMs > 0 && decision.type === 'observe') return { type: 'wait', afterMs: 10_000 };
    return decision;
  }

  async #start(target: Target): Promise<ReconcileResult | void> {
    const { vmi, pod, link, memory, context } = target;
    if (link === undefined) return;
    const { namespace = '', name, uid = '' } = vmi.metadata;
    const now = Date.now();
    memory.startingSince ??= now;
    try {
      const host = this.#parts.paths.hostLauncherSocket(pod.metadata.uid ?? '');
      const [interfaces] = await Promise.all([
        this.#parts.preparation.prepare(vmi, pod, context.signal),
        this.#parts.links.ensure({ vmiUid: uid, namespace, name, target: host }),
      ]);
      const prepared = Date.now();
      const request = syncRequest(vmi, this.#parts.config(), interfaces);
      const { domain } = await link.calls.syncVirtualMachine(request, {
        timeoutMs: SYNC_TIMEOUT_MS,
        signal: context.signal,
      });
      link.take(domain);
      context.log.info(
        { vmi: `${namespace}/${name}`, preparedMs: prepared - now, syncedMs: Date.now() - prepared },
        'domain started',
      );
    } catch (error) {
      if (context.signal.aborted) throw error;
      if (isTransient(error) && now - memory.startingSince < QUIET_MS) return { requeueAfterMs: 200 };
      await this.#syncFailed(target, error);
      if (isPermanent(error)) throw new TerminalError(errorMessage(error), { cause: error });
      throw error;
    }
    memory.startingSince = undefined;
    if (isActive(link.domain)) this.#parts.events.created(vmi);
    return this.#observe(target);
  }

  async #observe(target: Target): Promise<ReconcileResult | void> {
    const { vmi, pod, link, context } = target;
    const domain = link?.domain;
    if (link === undefined || domain === undefined) return;
    const { showAgent, showAnswers, waitMs } = agentView(target, Date.now());
    const written = await this.#parts.writer.write(
      vmi,
      (current) =>
        observedStatus({
          vmi: current,
          domain,
          guest: showAnswers ? link.guest : undefined,
          podIPs: podIPs(pod),
          showAgent,
          migratability: migratability(current, {
            name: this.#parts.nodeName,
            knowsHostModel: this.#parts.knowsHostModel(),
            emulates: this.#parts.config().useEmulation,
          }),
          now: rfc3339(),
        }),
      context.signal,
    );
    if (vmi.status?.phase !== 'Running' && written.status?.phase === 'Running') this.#parts.events.started(written);
    return later(waitMs);
  }

  async #shutdown({ vmi, link, memory }: Target): Promise<void> {
    await link?.calls.shutdownVirtualMachine({});
    memory.shutdownSentAt = Date.now();
    this.#parts.events.shuttingDown(vmi);
  }

  async #end(target: Target, end: RunEnd): Promise<void> {
    const { vmi, context } = target;
    const written = await this.#parts.writer.write(
      vmi,
      (current) => (isFinal(current) ? (current.status ?? {}) : endedStatus(current, end, rfc3339())),
      context.signal,
    );
    this.#parts.events.stopped(written, end);
    await this.#dismiss({ ...target, vmi: written });
  }

  /** Lets the launcher go once its instance is over, and takes its disks away, which would hold the pod's end up. */
  async #dismiss({ vmi, pod, link, memory, context }: Target): Promise<void> {
    if (link !== undefined && !memory.dismissed) {
      try {
        // The object is the judge: an instance that is final must not run on.
        if (isActive(link.domain)) await link.calls.killVirtualMachine({}, { timeoutMs: SYNC_TIMEOUT_MS });
        await link.calls.deleteVirtualMachine({}, { signal: context.signal });
        memory.dismissed = true;
        this.#parts.launchers.drop(pod.metadata.uid ?? '');
        this.#parts.events.deleted(vmi);
      } catch (error) {
        // A launcher that has gone already needs no telling; one that is deaf is ended with its pod.
        if (RpcError.from(error).code !== Status.UNAVAILABLE) throw error;
      }
    }
    this.#parts.sweeper.dismiss(pod.metadata.uid ?? '');
    await this.#parts.sweeper.sweep();
  }

  async #syncFailed({ vmi, context }: Target, error: unknown): Promise<void> {
    const message = errorMessage(error);
    this.#parts.events.syncFailed(vmi, message);
    await this.#parts.writer.write(
      vmi,
      ({ status = {} }) => ({ ...status, conditions: synchronized(status.conditions ?? [], message, rfc3339()) }),
      context.signal,
    );
  }

  /** A launcher's containers often run before its instance is labelled with this node; then it is read once. */
  async #find(request: ObjectName, pods: Pod[], signal: AbortSignal): Promise<VirtualMachineInstance | undefined> {
    const { namespace = '', name } = request;
    const known = this.#parts.vmis.store.get(formatKey(request));
    if (known !== undefined) return known;
    if (!pods.some((pod) => runningContainer(pod, COMPUTE_CONTAINER) !== undefined)) return undefined;
    return this.#parts.client.get(Vmis, { namespace, name }, {}, signal).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  #remember(key: string, vmi: VirtualMachineInstance): Memory {
    const known = this.#memory.get(key);
    if (known !== undefined && known.uid === vmi.metadata.uid) return known;
    const fresh = { uid: vmi.metadata.uid, shutdownSentAt: undefined, startingSince: undefined, dismissed: false };
    this.#memory.set(key, fresh);
    return fresh;
  }
}

interface Target {
  vmi: VirtualMachineInstance;
  pod: Pod;
  link: LauncherLink | undefined;
  memory: Memory;
  context: ReconcileContext;
}

/** What of an agent that has just connected is ready to be shown, and when to look again. */
function agentView({ vmi, link }: Target, now: number): { showAgent: boolean; showAnswers: boolean; waitMs?: number } {
  const since = link?.agentConnectedAt;
  if (since === undefined || guestSettled(link?.guest)) return { showAgent: true, showAnswers: true };
  const shown = vmi.status?.conditions?.some(({ type }) => type === 'AgentConnected') ?? false;
  const showAgent = shown || now - since >= SETTLE_MS;
  const showAnswers = now - since >= ANSWERS_MS;
  if (showAnswers) return { showAgent, showAnswers };
  return { showAgent, showAnswers, waitMs: since + (showAgent ? ANSWERS_MS : SETTLE_MS) - now };
}

function isActive(domain: Domain | undefined): boolean {
  const inactive = [DomainState.UNSPECIFIED, DomainState.ABSENT, DomainState.SHUTOFF, DomainState.CRASHED];
  return domain !== undefined && !inactive.includes(domain.state);
}

/** Not there yet, as opposed to wrong. */
function isTransient(error: unknown): boolean {
  return error instanceof RpcError && [Status.UNAVAILABLE, Status.FAILED_PRECONDITION].includes(error.code);
}

/** Wrong in the spec, which cannot change any more. */
function isPermanent(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof RpcError && error.code === Status.INVALID_ARGUMENT);
}

function later(afterMs: number | undefined): ReconcileResult | undefined {
  return afterMs === undefined ? undefined : { requeueAfterMs: afterMs };
}

function rfc3339(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
