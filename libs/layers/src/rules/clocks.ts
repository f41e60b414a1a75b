import type { Facts, Path } from '../diagnosis/facts.ts';

/** Less than this is delay, not skew. */
const TOLERANCE_SECONDS = 60;

/** Clocks that disagree, a sentence each. */
export function clockSkews(facts: Facts): string[] {
  return [...nodeClockSkews(facts), ...leaseSkews(facts)];
}

/** What the node serves as new, and is dated otherwise by another clock. */
export function nodeClockSkews(facts: Facts): string[] {
  const handler = at(facts, 'node/schedulable');
  const channel = at(facts, 'node/launcher.channel');
  const domain = at(facts, 'domain/state');
  const sentences: string[] = [];
  // virt-handler dates this one at the moment of its answer.
  if (handler !== undefined && facts.seen('node/schedulable')?.freshness === 'live')
    sentences.push(...apart("virt-handler's clock", handler - facts.now, "the API server's"));
  // libvirt is asked all the while, through a launcher that answers.
  if (domain !== undefined && channel !== undefined && facts.is('domain/libvirt.connected', true))
    sentences.push(...apart("the launcher's clock", domain - channel, "virt-handler's"));
  return sentences;
}

/** What somebody says by its own clock, and what time it was for the API server then. */
function leaseSkews(facts: Facts): string[] {
  const sentences: string[] = [];
  for (const [path, whose] of [
    ['kubernetes/virt-controller.lease', "virt-controller's clock"],
    ['node/lease', "virt-handler's clock"],
    ['kubernetes/clock', `the clock of ${facts.seen('kubernetes/clock')?.source ?? 'whoever reports'}`],
  ] as const) {
    const taken = at(facts, path);
    const written = Date.parse(String(facts.seen(path)?.value));
    if (taken !== undefined && !Number.isNaN(written))
      sentences.push(...apart(whose, written - taken, "the API server's"));
  }
  return sentences;
}

function at(facts: Facts, path: Path): number | undefined {
  const time = facts.seen(path)?.observedAt;
  const parsed = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

function apart(whose: string, milliseconds: number, other: string): string[] {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (!(seconds > TOLERANCE_SECONDS)) return [];
  return [`${whose} is ${seconds} s ${milliseconds > 0 ? 'ahead of' : 'behind'} ${other}`];
}
