import { parseDuration } from '@yagura/api';
import type { KubeClient } from '@yagura/kube';
import { type Layer, layers } from '@yagura/layers';
import {
  renderEntries,
  renderRuns,
  renderTimeline,
  selected,
  type Timeline,
  timelineTitle,
} from '@yagura/layers/timeline';
import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { messageOf, UsageError } from '../errors.ts';
import { type Format, parseFormat, render } from '../output.ts';
import { getSubresource } from '../subresource.ts';
import { parseTarget, type Target } from '../target.ts';
import { printed, WATCH_SECONDS } from '../watch.ts';

interface Options {
  output: Format;
  since?: number;
  layer?: Layer[];
  uid?: string;
  runs?: boolean;
  watch?: boolean;
}

export function addTimeline(program: Command, context: CliContext): void {
  program
    .command('timeline')
    .description('what has changed about a virtual machine and what happened to it, also when it is gone')
    .argument('<namespace/name>', 'the virtual machine')
    .option('-o, --output <format>', 'table, json or yaml', parseFormat, 'table')
    .option('--since <duration>', 'only what is younger, as 10m', parseSince)
    .addOption(
      new Option('--layer <layer>', `only of this layer, may be given again: ${layers.join(', ')}`).argParser(addLayer),
    )
    .option('--uid <uid>', 'of this run, instead of the newest')
    .option('--runs', 'which runs of that name the nodes remember')
    .option('-w, --watch', `what comes, every ${WATCH_SECONDS} s until interrupted`)
    .action(async (text: string, options: Options) => {
      const client = await context.client();
      const target = parseTarget(text, client.access.namespace);
      const look = () => timelineOf(client, target, options, context.signal);
      const show = options.output === 'table' && options.watch && !options.runs ? follower(look) : whole(look, options);
      // What has been told stays on the screen: later lines come below it.
      const lines = { ...context, interactive: context.interactive && options.output !== 'table' };
      await printed(lines, options.watch, show, (error) => context.err(`${messageOf(error)}\n`));
    });
}

async function timelineOf(
  client: KubeClient,
  target: Target,
  { uid, runs, layer, since }: Options,
  signal: AbortSignal,
): Promise<Timeline> {
  const query = new URLSearchParams({ ...(uid === undefined ? {} : { uid }), ...(runs ? { runs: 'true' } : {}) });
  const path = query.size === 0 ? 'timeline' : `timeline?${query.toString()}`;
  const timeline = await getSubresource<Timeline>(client, 'virtualmachineinstances', target, path, signal);
  return selected(timeline, { layers: layer, sinceMs: since });
}

function whole(look: () => Promise<Timeline>, { output, runs }: Options): () => Promise<string> {
  return async () => {
    const timeline = await look();
    if (!runs) return render(timeline, output, renderTimeline);
    return render(timeline.runs, output, renderRuns);
  };
}

/** Each time what is new since the time before; an entry that goes on, as a field that flaps, comes again. */
function follower(look: () => Promise<Timeline>): () => Promise<string> {
  let uid: string | undefined;
  const told = new Map<number, string>();
  return async () => {
    const timeline = await look();
    const isFirst = timeline.metadata.uid !== uid;
    if (isFirst) told.clear();
    uid = timeline.metadata.uid;
    const fresh = timeline.entries.filter(({ seq, time }) => told.get(seq) !== time);
    for (const { seq, time } of fresh) told.set(seq, time);
    return (isFirst ? timelineTitle(timeline) : '') + renderEntries(fresh, isFirst);
  };
}

function parseSince(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds <= 0)
    throw new UsageError(`"${text}" is no duration, as 10m or 1h30m`);
  return milliseconds;
}

function addLayer(text: string, before: Layer[] = []): Layer[] {
  const layer = layers.find((candidate) => candidate === text);
  if (layer === undefined) throw new UsageError(`layer "${text}" is unknown: choose from ${layers.join(', ')}`);
  return [...before, layer];
}
