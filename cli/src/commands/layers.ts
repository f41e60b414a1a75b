import { type LayersReport, type LogTail, renderLayers, renderStatus } from '@yagura/layers';
import { renderEntries } from '@yagura/layers/timeline';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { logTails } from '../direct/logs.ts';
import { parseFormat, render } from '../output.ts';
import { reportOf } from '../report.ts';
import { parseTarget } from '../target.ts';
import { printed, WATCH_SECONDS } from '../watch.ts';

const COLOURS: Record<string, string> = {
  live: '\x1b[32m',
  stale: '\x1b[33m',
  lost: '\x1b[31m',
  never: '\x1b[31m',
  unsupported: '\x1b[2m',
};

interface Options {
  output: ReturnType<typeof parseFormat>;
  watch?: boolean;
  logs?: boolean;
}

export function addLayers(program: Command, context: CliContext): void {
  program
    .command('layers')
    .description('what every layer says about a virtual machine, with source, age and freshness')
    .argument('<namespace/name>', 'the virtual machine')
    .option('-o, --output <format>', 'table, json or yaml', parseFormat, 'table')
    .option('--logs', 'also the last lines of virt-launcher, and those of virt-handler about this machine')
    .option('-w, --watch', `again every ${WATCH_SECONDS} s until interrupted`)
    .action(async (text: string, options: Options) => {
      const client = await context.client();
      const target = parseTarget(text, client.access.namespace);
      await printed(context, options.watch, async () => {
        const report = await reportOf(context, target);
        if (options.logs) report.logs = await logTails(client, report, context.signal);
        return render(report, options.output, (value) => layersTable(value, context.interactive));
      });
    });
}

/** A line that says of what and when, a line per observation, what the object shows beside it, what has changed last, and logs. */
export function layersTable(report: LayersReport, colour: boolean): string {
  const { metadata, node, generatedAt, changes = [] } = report;
  const title = `${metadata.namespace}/${metadata.name}${node === undefined ? '' : ` on node ${node}`}, ${generatedAt}\n\n`;
  const table = colour ? coloured(renderLayers(report)) : renderLayers(report);
  const status = renderStatus(report);
  const heading = `Last changes (all of them: yagura timeline ${metadata.namespace}/${metadata.name}):\n`;
  return [
    title + table,
    ...(status === '' ? [] : [status]),
    ...(changes.length === 0 ? [] : [heading + renderEntries(changes, false)]),
    ...(report.logs ?? []).map(logText),
  ].join('\n');
}

function logText({ source, lines, error }: LogTail): string {
  const text = error === undefined ? lines : [`not read: ${error}`];
  return [`LOG ${source}`, ...(text.length === 0 ? ['nothing about this machine'] : text)]
    .map((line) => `${line}\n`)
    .join('');
}

/** The freshness is the last column; it is what the eye should find first. */
function coloured(table: string): string {
  return table.replace(
    /(?<=\s)(live|stale|lost|never|unsupported)((?:: .*)?)$/gm,
    (_all, word: string, rest: string) => `${COLOURS[word]}${word}\x1b[0m${rest}`,
  );
}
