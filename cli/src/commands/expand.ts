import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { parseFormat, render } from '../output.ts';
import { getSubresource } from '../subresource.ts';
import { parseTarget } from '../target.ts';

export function addExpand(program: Command, context: CliContext): void {
  program
    .command('expand')
    .description('a virtual machine with its instance type and preference worked in')
    .argument('<namespace/name>', 'the virtual machine')
    .option('-o, --output <format>', 'json or yaml', parseFormat, 'yaml')
    .action(async (text: string, { output }: { output: ReturnType<typeof parseFormat> }) => {
      const client = await context.client();
      const target = parseTarget(text, client.access.namespace);
      const vm = await getSubresource<object>(client, 'virtualmachines', target, 'expand-spec', context.signal);
      context.out(render(vm, output === 'table' ? 'yaml' : output, () => ''));
    });
}
