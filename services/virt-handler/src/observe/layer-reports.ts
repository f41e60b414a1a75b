import { isFinal, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { type LayersReport, layersReport, observe, type Sample } from '@yagura/layers';
import { domainSamples, guestSamples, type LauncherLink, linkSamples, networkSamples } from '@yagura/layers/launcher';
import type { TimelineEntry } from '@yagura/layers/timeline';
import { errorMessage } from '@yagura/runtime';
import type { Link } from '../network/links.ts';
import { type Plan, planNetwork } from '../network/plan.ts';
import { podIPs } from '../pod/launcher-pod.ts';
import type { Instance } from '../rest/instances.ts';
import type { Migratability } from '../vmi/migratable.ts';
import { interfaceIntents } from '../vmi/status.ts';
import { deviceSamples, type Look } from './network-devices.ts';

/** A report must come while the reader waits; a launcher that takes longer is shown with what it said last. */
const REFRESH_MS = 2_000;

/** A watch that lives brings at least a bookmark a minute, in seconds; one that brings nothing for so long is broken. */
export const WATCH_MAX_AGE = 150;

/** So many of the last changes are part of a report. */
const CHANGES = 5;

const NO_LAUNCHER: LauncherLink = { state: 'gone', error: 'no launcher of the instance is on this node' };

export interface LayerReportsParts {
  nodeName: string;
  /** When the API server last confirmed what we know of pods and of instances. */
  confirmedAt: () => { pods: Date | undefined; vmis: Date | undefined };
  /** When the node's last heartbeat was written, and why the node takes no guests. */
  node: () => { heartbeatAt: Date | undefined; unable: string | undefined };
  /** The devices in a pod's network namespace. */
  links: (pod: Pod, timeoutMs: number) => Promise<Link[]>;
  /** Whether an instance could move now, and everything that keeps it from that. */
  migratability: (vmi: VirtualMachineInstance) => Migratability;
  /** What was recorded last of the instance with that UID. */
  newest?: (uid: string, count: number) => TimelineEntry[];
  now?: () => Date;
}

/** What the layers of this node say about an instance, asked for at the moment of reading. */
export class LayerReports {
  readonly #parts: LayerReportsParts;

  constructor(parts: LayerReportsParts) {
    this.#parts = parts;
  }

  async report(instance: Instance): Promise<LayersReport> {
    const [devices] = await Promise.all([this.#devices(instance), instance.link?.refresh(REFRESH_MS)]);
    const now = this.#parts.now?.() ?? new Date();
    const { namespace = '', name, uid = '' } = instance.vmi.metadata;
    const subject = { namespace, name, uid, node: this.#parts.nodeName };
    return layersReport(
      subject,
      [...this.samples(instance, now), ...devices, ...this.#blockers(instance, now)].map((sample) =>
        observe(sample, now),
      ),
      now,
      this.#parts.newest?.(uid, CHANGES),
    );
  }

  /** The samples as they stand, without asking anybody. */
  samples({ vmi, pod, link: launcher }: Instance, now: Date): Sample[] {
    const link = launcher?.state() ?? NO_LAUNCHER;
    const [domain, guest] = [launcher?.domain, launcher?.guest];
    const confirmed = this.#parts.confirmedAt();
    const podSeenAt = pod && confirmed.pods;
    return [
      ...this.#nodeSamples(now),
      ...linkSamples(link),
      ...domainSamples(domain, link),
      ...guestSamples(domain, guest, link),
      ...networkSamples({
        intents: interfaceIntents(vmi),
        podIPs: pod === undefined ? [] : podIPs(pod),
        podSeenAt,
        domain,
        guest,
        shown: vmi.status?.interfaces ?? [],
        link,
      }).map((sample) => {
        const { field } = sample;
        if (field.endsWith('.podIPs')) return { ...sample, maxAge: WATCH_MAX_AGE };
        // Shown in the instance, which another watch brings.
        return field.endsWith('.chosen') ? { ...sample, observedAt: confirmed.vmis, maxAge: WATCH_MAX_AGE } : sample;
      }),
    ];
  }

  /** What is built for the guest in its pod's network, looked at now. */
  async #devices({ vmi, pod }: Instance): Promise<Sample[]> {
    const plans = plansOf(vmi);
    if (pod === undefined || isFinal(vmi) || plans.length === 0) return [];
    const look: Promise<Look> = this.#parts.links(pod, REFRESH_MS).then(
      (links) => ({ links, at: this.#parts.now?.() ?? new Date() }),
      (error: unknown) => ({ error: errorMessage(error) }),
    );
    return deviceSamples(plans, await look);
  }

  /** All of them; the object shows the first. */
  #blockers({ vmi }: Instance, now: Date): Sample[] {
    if (isFinal(vmi)) return [];
    const { blockers, storageBlockers } = this.#parts.migratability(vmi);
    const base = {
      layer: 'migration',
      source: 'virt-handler',
      observedAt: now,
      maxAge: 10,
      state: 'answering',
    } as const;
    return [
      { ...base, field: 'blockers', value: blockers.map(({ reason, message }) => `${reason}: ${message}`) },
      { ...base, field: 'storageBlockers', value: storageBlockers },
    ];
  }

  #nodeSamples(now: Date): Sample[] {
    const { heartbeatAt, unable } = this.#parts.node();
    const base = { layer: 'node', source: 'virt-handler', state: 'answering' } as const;
    return [
      // Between one and a bit more than two minutes apart.
      { ...base, field: 'heartbeat', value: heartbeatAt?.toISOString(), observedAt: heartbeatAt, maxAge: 150 },
      { ...base, field: 'schedulable', value: unable ?? true, observedAt: now, maxAge: 10 },
    ];
  }
}

/** A network that cannot be built has no devices; why it cannot is told by the instance's conditions. */
function plansOf(vmi: VirtualMachineInstance): Plan[] {
  try {
    return planNetwork(vmi);
  } catch {
    return [];
  }
}
