import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { subresourcePath } from '../subresource.ts';
import { parseTarget } from '../target.ts';

export function addScreenshot(program: Command, context: CliContext): void {
  program
    .command('screenshot')
    .description('the screen of a virtual machine as a PNG')
    .argument('<namespace/name>', 'the virtual machine')
    .option('-f, --file <file>', 'to write to, "-" for standard output; default: NAME.png')
    .option('-m, --move-cursor', 'move the pointer first, which wakes a screen that sleeps')
    .action(async (text: string, { file, moveCursor }: { file?: string; moveCursor?: boolean }) => {
      const client = await context.client();
      const target = parseTarget(text, client.access.namespace);
      const path = `${subresourcePath('virtualmachineinstances', target, 'vnc/screenshot')}${moveCursor ? '?moveCursor=true' : ''}`;
      const { body } = await client.stream({ path, headers: { Accept: 'image/png' } }, context.signal);
      const name = file ?? `${target.name}.png`;
      await pipeline(body, name === '-' ? process.stdout : createWriteStream(name), { end: name !== '-' });
      if (name !== '-') context.out(`${name}\n`);
    });
}
