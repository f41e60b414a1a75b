import {
  type ClusterConfig,
  COMPUTE_CONTAINER,
  isConditionTrue,
  isFinal,
  isOnNode,
  isPodDown,
  type Pod,
  type VirtualMachineInstance,
} from '@yagura/api';
import {
  formatKey,
  type Informer,
  isNotFound,
  type KubeClient,
  type ObjectName,
  type ReconcileContext,
  type ReconcileResult,
} from '@yagura/kube';
import { guestSettled } from '../launcher/guest-poll.ts';
import type { LauncherLink } from '../launcher/launcher-link.ts';
import type { Launchers } from '../launcher/launchers.ts';
import type { LiveNetwork } from '../network/live-network.ts';
import {
  computeEnd,
  computeTime,
  containersNotRunning,
  newestPod,
  podIPs,
  podLoss,
  runningContainer,
  vmiUidOf,
} from '../pod/launcher-pod.ts';
import type { ContainerProcesses } from '../pod/processes.ts';
import { InFlight } from '../system/in-flight.ts';
import { tellCredentials } from './access-credentials.ts';
import { type Decision, decide, SILENCE_GRACE_MS } from './decide.ts';
import type { VmiEnding } from './ending.ts';
import type { VmiEvents } from './events.ts';
import { followProbeAnnotation } from './guest-probes.ts';
import type { Hotplug } from './hotplug.ts';
import { phaseChanges, withVolumePhases } from './hotplug-status.ts';
import type { LiveSize } from './live-size.ts';
import { type Migratability, migratability } from './migratable.ts';
import { tellIoError } from './paused.ts';
import { Vmis } from './resources.ts';
import { recentRestarts } from './restarts.ts';
import type { VmiStart } from './start.ts';
import { observedStatus } from './status.ts';
import type { StatusWriter } from './status-writer.ts';
import { CALL_PATIENCE_MS, type Memory, rfc3339, startOf, type Target } from './target.ts';

export interface ReconcilerParts {
  nodeName: string;
  client: Pick<KubeClient, 'get'>;
  vmis: Pick<Informer<VirtualMachineInstance>, 'store'>;
  /** Launcher pods of this node, with an index `vmi` by `namespace/name` of the instance. */
  pods: Pick<Informer<Pod>, 'store'>;
  launchers: Launchers;
  processes: ContainerProcesses;
  start: VmiStart;
  network: LiveNetwork;
  size: LiveSize;
  ending: VmiEnding;
  hotplug: Pick<Hotplug, 'sync'>;
  writer: StatusWriter;
  events: VmiEvents;
  config: () => ClusterConfig;
  knowsHostModel: () => boolean;
}

/** Whatever is asked of a launcher is given up after so long, and begun anew. */
const CALL_TIMEOUT_MS = 60_000;
/** The first answers of an agent are waited for so long, to be written together with its connection. */
const SETTLE_MS = 1_000;
/** Those that come later are waited for one another so long, to be written together. */
const ANSWERS_MS = 5_000;

/** Brings one instance of this node to what its object says, and its object to what the node says. */
export class VmiReconciler {
  readonly #parts: ReconcilerParts;
  readonly #memory = new Map<string, Memory>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** Whether an instance could move from this node now. */
  migratability(vmi: VirtualMachineInstance): Migratability {
    const { nodeName: name, knowsHostModel, config } = this.#parts;
    return migratability(vmi, { name, knowsHostModel: knowsHostModel(), emulates: config().useEmulation });
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
    if (isFinal(vmi)) return patiently(target, 'let-go', async (calling) => this.#parts.ending.dismiss(calling));
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
      case 'start': {
        const started = await this.#parts.start.start(target);
        return started === 'started' ? this.#observe(target) : started;
      }
      case 'observe':
        return this.#observe(target);
      case 'shutdown':
        return patiently(target, 'shutdown', async (calling) => this.#parts.ending.shutdown(calling), decision.afterMs);
      case 'kill':
        return patiently(target, 'kill', async (calling) => this.#parts.ending.kill(calling), decision.afterMs);
      case 'dismiss':
        return patiently(target, 'let-go', async (calling) => this.#parts.ending.dismiss(calling), decision.afterMs);
      case 'complain':
        await this.#parts.start.complain(target, `${decision.message} ${target.pod.metadata.name}`);
        return later(decision.afterMs);
      case 'end':
        return patiently(target, 'end', async (calling) => this.#parts.ending.record(calling, decision.end));
    }
  }

  async #decide({ vmi, pod, link, memory }: Target): Promise<Decision> {
    const compute = runningContainer(pod, COMPUTE_CONTAINER);
    const now = Date.now();
    const ended = computeEnd(pod);
    const started = computeTime(pod, 'startedAt');
    // One that never opens its socket is as silent as one that falls silent; one that we have only begun to ask is not.
    const unheardMs = link && started !== undefined ? Math.min(now - started, link.ageMs()) : undefined;
    const silentMs = link?.silentMs() ?? unheardMs;
    const overdue = compute !== undefined && (silentMs ?? 0) > SILENCE_GRACE_MS;
    const decision = decide({
      vmi,
      podDeleting: pod.metadata.deletionTimestamp !== undefined,
      podDown: isPodDown(pod.status?.phase),
      loss: podLoss(pod),
      compute: ended
        ? { ...ended, forMs: now - (computeTime(pod, 'finishedAt') ?? now) }
        : compute === undefined
          ? 'waiting'
          : 'running',
      complete: containersNotRunning(pod).length === 0,
      domain: link?.domain,
      silentMs,
      qemuRuns: overdue ? await this.#parts.processes.runs(compute, 'qemu') : undefined,
      now,
      shutdownSentAt: memory.shutdownSentAt,
    });
    // Nobody will tell when silence has lasted long enough.
    if (silentMs !== undefined && silentMs > 0 && decision.type === 'observe') return { type: 'wait', afterMs: 10_000 };
    return decision;
  }

  async #observe(target: Target): Promise<ReconcileResult | void> {
    const { vmi, pod, link, context } = target;
    const domain = link?.domain;
    // Until virt-controller has handed the instance over, its status is not ours.
    if (link === undefined || domain === undefined || !isOnNode(vmi)) return;
    const { showAgent, showAnswers, waitMs } = agentView(target, Date.now());
    const network = await this.#parts.network.follow(target, link, domain);
    const { cpus, memory } = await this.#parts.size.follow(target, domain);
    const plugged = await this.#parts.hotplug.sync(target);
    const written = await this.#parts.writer.write(
      vmi,
      (current) =>
        withVolumePhases(
          plugged?.phases,
          observedStatus({
            vmi: current,
            // Another one when its interfaces have just been changed.
            domain: link.domain ?? domain,
            guest: showAnswers ? link.guest : undefined,
            podIPs: podIPs(pod),
            podReady: isConditionTrue(pod, 'Ready') && pod.metadata.deletionTimestamp === undefined,
            problem: network.problem,
            cpuProblem: cpus.problem,
            memoryProblem: memory.problem,
            showAgent,
            supportedAgentVersions: this.#parts.config().supportedGuestAgentVersions,
            migratability: this.migratability(current),
            now: rfc3339(),
          }),
        ),
      context.signal,
    );
    if (vmi.status?.phase !== 'Running' && written.status?.phase === 'Running') this.#parts.events.started(written);
    for (const phase of phaseChanges(vmi, written, plugged?.phases)) this.#parts.events.volume(written, phase);
    tellCredentials(vmi, written, this.#parts.events);
    tellIoError(vmi, written, this.#parts.events);
    await followProbeAnnotation(written, domain, link);
    return later(
      soonest(
        this.#tellRestarts({ ...target, vmi: written }, link),
        waitMs,
        network.afterMs,
        cpus.afterMs,
        memory.afterMs,
        plugged?.retryMs,
      ),
    );
  }

  /** Answers when to look again, while the launcher has not said since when it runs. */
  #tellRestarts({ vmi, memory }: Target, link: LauncherLink): number | undefined {
    const { startedAt } = link.state();
    const { launcher, libvirt } = recentRestarts(vmi, startedAt, link.domain, Date.now());
    const isNews = (at: Date | undefined, what: string): at is Date => {
      const key = `${what} ${at?.toISOString()}`;
      if (at === undefined || memory.restartsTold.has(key)) return false;
      memory.restartsTold.add(key);
      return true;
    };
    if (isNews(launcher, 'launcher')) this.#parts.events.launcherRestarted(vmi, launcher);
    if (isNews(libvirt, 'libvirt')) this.#parts.events.libvirtRestarted(vmi, libvirt);
    return startedAt === undefined ? 1_000 : undefined;
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
    const fresh: Memory = {
      uid: vmi.metadata.uid,
      shutdownSentAt: undefined,
      startingSince: undefined,
      dismissed: false,
      attempts: new Map(),
      calls: new InFlight(),
      restartsTold: new Set(),
    };
    this.#memory.set(key, fresh);
    return fresh;
  }
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

/** A launcher that hangs holds up its own instance, not the worker. */
async function patiently(
  target: Target,
  kind: string,
  call: (target: Target) => Promise<void>,
  afterMs?: number,
): Promise<ReconcileResult | undefined> {
  const { memory, pod, context } = target;
  // A launcher that is let go in the middle of a start could leave a domain behind.
  if (kind === 'let-go' && memory.calls.isRunning(startOf(pod))) return later(500);
  const ended = await memory.calls.ended(`${kind} ${pod.metadata.uid}`, CALL_PATIENCE_MS, async () =>
    // The run that begins it may be over before it ends, and its signal with it.
    call({ ...target, context: { ...context, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) } }),
  );
  return later(ended ? afterMs : Math.min(afterMs ?? 1_000, 1_000));
}

function soonest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function later(afterMs: number | undefined): ReconcileResult | undefined {
  return afterMs === undefined ? undefined : { requeueAfterMs: afterMs };
}
