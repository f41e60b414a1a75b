import { type LayersReport, renderLayers } from '@yagura/layers';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
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

export function addLayers(program: Command, context: CliContext): void {
  program
    .command('layers')
    .description('what every layer says about a virtual machine, with source, age and freshness')
    .argument('<namespace/name>', 'the virtual machine')
    .option('-o, --output <format>', 'table, json or yaml', parseFormat, 'table')
    .option('-w, --watch', `again every ${WATCH_SECONDS} s until interrupted`)
    .action(async (text: string, options: { output: ReturnType<typeof parseFormat>; watch?: boolean }) => {
      const client = await context.client();
      const target = parseTarget(text, client.access.namespace);
      await printed(context, options.watch, async () => {
        const report = await reportOf(context, target);
        return render(report, options.output, (value) => layersTable(value, context.interactive));
      });
    });
}

/** A line that says of what and when, then a line per observation. */
export function layersTable(report: LayersReport, colour: boolean): string {
  const { metadata, node, generatedAt } = report;
  const title = `${metadata.namespace}/${metadata.name}${node === undefined ? '' : ` on node ${node}`}, ${generatedAt}\n\n`;
  return title + (colour ? coloured(renderLayers(report)) : renderLayers(report));
}

/** The freshness is the last column; it is what the eye should find first. */
function coloured(table: string): string {
  return table.replace(
    /(?<=\s)(live|stale|lost|never|unsupported)((?:: .*)?)$/gm,
    (_all, word: string, rest: string) => `${COLOURS[word]}${word}\x1b[0m${rest}`,
  );
}
