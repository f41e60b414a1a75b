import { once } from 'node:events';
import { CLOSE } from '@yagura/streams';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { listenTcp } from '../listen.ts';
import { listenUdp } from '../listen-udp.ts';
import { parseForward } from '../ports.ts';
import { complaint, endOf, openStream } from '../stream.ts';
import { parseTarget } from '../target.ts';
import { attach } from './console.ts';

interface Flags {
  address: string;
  stdio?: boolean;
}

export function addPortForward(program: Command, context: CliContext): void {
  program
    .command('port-forward')
    .description('connections from here to ports of a virtual machine')
    .argument('<namespace/name>', 'the virtual machine')
    .argument('<ports...>', '[PROTOCOL/]LOCAL[:PORT], as 8080:80; LOCAL 0: any that is free')
    .option('--address <address>', 'to listen on', '127.0.0.1')
    .option('--stdio', 'join one port to standard input and output, as for the ProxyCommand of ssh')
    .action(async (text: string, ports: string[], { address, stdio }: Flags) => {
      const target = parseTarget(text, (await context.client()).access.namespace);
      const forwards = ports.map(parseForward);
      if (stdio) {
        const [forward] = forwards;
        if (forward === undefined || forwards.length > 1 || forward.protocol !== 'tcp')
          throw new UsageError('--stdio takes exactly one port of TCP');
        const socket = await openStream(context, target, `portforward/${forward.remote}/tcp`);
        const ended = endOf(socket);
        attach(socket, process.stdin, process.stdout, false);
        const { code, reason } = await ended;
        const error = code === CLOSE.normal ? undefined : complaint({ code, reason });
        if (error) throw error;
        return;
      }
      const say = (error: Error) => context.err(`${error.message.replace(/^[A-Z]+ \S+: /, '')}\n`);
      const listeners = await Promise.all(
        forwards.map(async ({ protocol, local, remote }) => {
          const open = async () => openStream(context, target, `portforward/${remote}/${protocol}`);
          const listen = protocol === 'tcp' ? listenTcp : listenUdp;
          const listener = await listen({ address, port: local, open, onError: say });
          context.out(
            `Forwarding ${protocol} ${address}:${listener.port} to port ${remote} of ${target.namespace}/${target.name}\n`,
          );
          return listener;
        }),
      );
      if (!context.signal.aborted) await once(context.signal, 'abort');
      for (const listener of listeners) listener.close();
    });
}
