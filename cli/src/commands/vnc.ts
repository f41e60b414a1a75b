import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { listenTcp } from '../listen.ts';
import { parsePort } from '../ports.ts';
import { complaint, openStream } from '../stream.ts';
import { parseTarget } from '../target.ts';

interface Flags {
  address: string;
  port: number;
  proxyOnly?: boolean;
  preserveSession?: boolean;
}

/** What shows a screen, by program: its arguments for an address and a port. */
const VIEWERS: readonly [program: string, args: (address: string, port: number) => string[]][] = [
  ['remote-viewer', (address, port) => [`vnc://${address}:${port}`]],
  ['vncviewer', (address, port) => [`${address}::${port}`]],
  ['xtigervncviewer', (address, port) => [`${address}::${port}`]],
  ['gvncviewer', (address, port) => [`${address}::${port}`]],
  ['open', (address, port) => ['-W', `vnc://${address}:${port}`]],
];

export function addVnc(program: Command, context: CliContext): void {
  program
    .command('vnc')
    .description('the screen of a virtual machine in a VNC viewer of this machine')
    .argument('<namespace/name>', 'the virtual machine')
    .option('--proxy-only', 'start no viewer; print the port as JSON')
    .option('--port <port>', 'to listen on; 0: any', parsePort, 0)
    .option('--address <address>', 'to listen on', '127.0.0.1')
    .option('--preserve-session', 'do not take over from a client that is connected')
    .action(async (text: string, { address, port, proxyOnly, preserveSession }: Flags) => {
      const target = parseTarget(text, (await context.client()).access.namespace);
      const what = `vnc${preserveSession ? '?preserveSession=true' : ''}`;
      const say = (error: Error) => context.err(`${error.message.replace(/^[A-Z]+ \S+: /, '')}\n`);
      const listener = await listenTcp({
        address,
        port,
        open: async () => openStream(context, target, what),
        onError: say,
        onEnd: (code, reason) => {
          const error = complaint({ code, reason });
          if (error) say(error);
        },
      });
      const viewer = proxyOnly || process.platform === 'win32' ? undefined : findViewer();
      if (proxyOnly) context.out(`${JSON.stringify({ port: listener.port })}\n`);
      else if (viewer === undefined)
        context.out(`No VNC viewer was found here. Connect one to ${address}:${listener.port}; Ctrl+C ends.\n`);
      if (viewer === undefined) await once(context.signal, 'abort');
      else await once(spawn(viewer.path, viewer.args(address, listener.port), { stdio: 'ignore' }), 'exit');
      listener.close();
    });
}

function findViewer(): { path: string; args: (address: string, port: number) => string[] } | undefined {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return undefined;
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  for (const [program, args] of VIEWERS) {
    if (program === 'open' && process.platform !== 'darwin') continue;
    for (const directory of directories) {
      const path = join(directory, program);
      try {
        accessSync(path, constants.X_OK);
        return { path, args };
      } catch {
        // Not there.
      }
    }
  }
  return undefined;
}
