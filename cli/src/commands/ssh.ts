import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import type { CliContext, ConnectOptions } from '../context.ts';
import { UsageError } from '../errors.ts';
import { parseTarget, type Target } from '../target.ts';

interface Flags {
  username?: string;
  identityFile?: string;
  port: string;
  sshOption?: string[];
}

export function addSsh(program: Command, context: CliContext): void {
  program
    .command('ssh')
    .description('a shell in a virtual machine, by the ssh of this machine through the cluster')
    .argument('<[user@]namespace/name>', 'the virtual machine')
    .argument('[command...]', 'instead of a shell')
    .option('-l, --username <user>', 'to log in as')
    .option('-i, --identity-file <file>', 'private key')
    .option('-p, --port <port>', 'of the SSH server', '22')
    .option('-o, --ssh-option <option...>', 'for ssh, as StrictHostKeyChecking=no')
    .passThroughOptions()
    .action(async (text: string, command: string[], flags: Flags) => {
      const at = text.lastIndexOf('@');
      const target = parseTarget(text.slice(at + 1), (await context.client()).access.namespace);
      const user = flags.username ?? (at > 0 ? text.slice(0, at) : undefined);
      const self = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...connectFlags(program.opts())];
      const child = spawn('ssh', sshArgs(target, user, flags, command, self), { stdio: 'inherit' });
      // Ctrl+C belongs to the session.
      process.on('SIGINT', () => {});
      const [code] = (await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new UsageError('there is no program "ssh" on this machine') : error;
      })) as [number | null];
      process.exitCode = code ?? 255;
    });
}

/** Arguments of ssh. `self`: this command, as ssh's shell runs it for the connection. */
export function sshArgs(
  { namespace, name }: Target,
  user: string | undefined,
  { identityFile, port, sshOption = [] }: Flags,
  command: readonly string[],
  self: readonly string[],
): string[] {
  const proxy = [...self, 'port-forward', '--stdio', `${namespace}/${name}`].map(quoted).join(' ');
  const host = `${name}.${namespace}`;
  return [
    '-o',
    // ssh replaces what begins with a percent sign.
    `ProxyCommand=${proxy.replaceAll('%', '%%')} %p`,
    '-o',
    `HostKeyAlias=${host}.vm`,
    ...(identityFile === undefined ? [] : ['-i', identityFile]),
    ...sshOption.flatMap((option) => ['-o', option]),
    '-p',
    port,
    user === undefined ? host : `${user}@${host}`,
    ...command,
  ];
}

function connectFlags({ kubeconfig, context }: ConnectOptions): string[] {
  return [...(kubeconfig ? ['--kubeconfig', kubeconfig] : []), ...(context ? ['--context', context] : [])];
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
