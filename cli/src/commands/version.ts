import type { Command } from 'commander';
import type { CliContext } from '../context.ts';

export const CLI_VERSION = '0.1.0';

export function addVersion(program: Command, context: CliContext): void {
  program
    .command('version')
    .description('version of this command and of the installed product')
    .option('--client', 'of this command only')
    .action(async ({ client: clientOnly }: { client?: boolean }) => {
      context.out(`Client  v${CLI_VERSION}\n`);
      if (clientOnly) return;
      const client = await context.client();
      const server = await client.request<{ gitVersion?: string }>(
        { path: '/apis/subresources.kubevirt.io/v1/version' },
        context.signal,
      );
      context.out(`Server  ${server.gitVersion ?? 'unknown'}\n`);
    });
}
