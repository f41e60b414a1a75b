import { isFinal } from '@yagura/api';
import type { GetDomainStatsResponse, GetFilesystemsResponse } from '@yagura/contracts';
import type { Sample } from '@yagura/layers';
import { toDate } from '@yagura/layers/launcher';
import { errorMessage, type Logger } from '@yagura/runtime';
import type { Series } from '@yagura/runtime/metrics';
import type { LauncherLink } from '../launcher/launcher-link.ts';
import type { Instance, Instances } from '../rest/instances.ts';
import { cpuSeries } from './cpu.ts';
import { filesystemSeries, loadSeries } from './guest.ts';
import { instanceLabels, ownLabels } from './labels.ts';
import { layerSeries } from './layers.ts';
import { memorySeries } from './memory.ts';
import { networkSeries } from './network.ts';
import { storageSeries } from './storage.ts';

/** A scrape of the node must end within 2 s; a launcher gives QEMU 1.5 s. */
const DEADLINE_MS = 1_700;

export interface CollectorParts {
  nodeName: string;
  instances: Pick<Instances, 'all'>;
  /** What the layers say, as it stands. */
  samples: (instance: Instance, now: Date) => Sample[];
  /** Of the balloon's statistics. */
  balloonPeriodSeconds: () => number;
  log: Logger;
  now?: () => Date;
}

interface Answers {
  stats: GetDomainStatsResponse | undefined;
  filesystems: GetFilesystemsResponse | undefined;
}

const NO_ANSWERS: Answers = { stats: undefined, filesystems: undefined };

/** Asks all launchers of the node at once, each by its own deadline: one that does not answer costs only itself. */
export class VmiCollector {
  readonly #parts: CollectorParts;
  readonly #lastStats = new WeakMap<LauncherLink, Date>();

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  async read(): Promise<Series[]> {
    const living = this.#parts.instances.all().filter(({ vmi }) => !isFinal(vmi));
    return (await Promise.all(living.map(async (instance) => this.#instance(instance)))).flat();
  }

  async #instance(instance: Instance): Promise<Series[]> {
    const { nodeName, balloonPeriodSeconds, samples, log } = this.#parts;
    const { vmi, link } = instance;
    const { stats, filesystems } = link === undefined ? NO_ANSWERS : await ask(link);
    const now = this.#parts.now?.() ?? new Date();
    const observedAt = toDate(stats?.observedAt);
    if (link !== undefined && observedAt !== undefined) this.#lastStats.set(link, observedAt);
    const [where, own] = [instanceLabels(vmi, nodeName), ownLabels(vmi)];
    const described = (series: Series[], labels: object): Series[] =>
      series.map((one) => ({ ...one, labels: { ...labels, ...one.labels } }));
    try {
      const figures = stats && [
        ...cpuSeries(stats),
        ...memorySeries(stats, balloonPeriodSeconds()),
        ...networkSeries(stats),
        ...storageSeries(stats),
      ];
      const lastAt = link && this.#lastStats.get(link);
      return [
        ...described([...(figures ?? []), ...filesystemSeries(filesystems, now), ...loadSeries(link?.guest, now)], {
          ...where,
          ...own,
        }),
        ...described(layerSeries(samples(instance, now), { lastAt, answered: stats !== undefined }, now), where),
      ];
    } catch (error) {
      log.warn({ vmi: vmi.metadata.name, reason: errorMessage(error) }, 'statistics cannot be read');
      return [];
    }
  }
}

/** A launcher that is known to be silent is not waited for: the link hears it as soon as it answers again. */
async function ask(link: LauncherLink): Promise<Answers> {
  if (link.silentMs() !== 0) return NO_ANSWERS;
  const options = { timeoutMs: DEADLINE_MS };
  const nothing = () => undefined;
  const [stats, filesystems] = await Promise.all([
    link.calls.getDomainStats({}, options).catch(nothing),
    // Without an agent there is nothing to ask for.
    link.agentConnectedAt === undefined ? undefined : link.calls.getFilesystems({}, options).catch(nothing),
  ]);
  return { stats, filesystems };
}
