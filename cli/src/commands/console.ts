import type { Readable, Writable } from 'node:stream';
import { bytesOf, Outgoing, type WebSocket } from '@yagura/streams';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { complaint, endOf, openStreamOnceRunning } from '../stream.ts';
import { parseTarget } from '../target.ts';

/** Ctrl+] and Ctrl+5. */
const ESCAPE = 0x1d;

export function addConsole(program: Command, context: CliContext): void {
  program
    .command('console')
    .description('the serial console of a virtual machine; Ctrl+] leaves it')
    .argument('<namespace/name>', 'the virtual machine')
    .option('--timeout <minutes>', 'to wait for it to run', minutes, 5)
    .action(async (text: string, { timeout }: { timeout: number }) => {
      const target = parseTarget(text, (await context.client()).access.namespace);
      const socket = await openStreamOnceRunning(context, target, 'console', timeout * 60_000);
      const { stdin, stdout } = process;
      if (stdin.isTTY)
        context.err(
          `Connected to ${target.namespace}/${target.name}. Press Ctrl+] or Ctrl+5 to leave, return for a prompt.\n`,
        );
      stdin.setRawMode?.(true);
      const ended = endOf(socket);
      attach(socket, stdin, stdout, stdin.isTTY);
      const end = await ended;
      stdin.setRawMode?.(false);
      if (stdin.isTTY) context.err('\n');
      const error = complaint(end);
      if (error) throw error;
      if (end.reason) context.err(`${end.reason}\n`);
    });
}

/** Joins the console and a terminal, or files: neither is read faster than the other side takes it. */
export function attach(socket: WebSocket, input: Readable, output: Writable, escapes: boolean): void {
  const outgoing = new Outgoing(socket);
  input.on('data', (chunk: Buffer) => {
    const at = escapes ? chunk.indexOf(ESCAPE) : -1;
    const bytes = at < 0 ? chunk : chunk.subarray(0, at);
    if (bytes.length > 0 && !outgoing.send(bytes, () => input.resume())) input.pause();
    if (at >= 0) socket.close();
  });
  input.once('end', () => outgoing.whenDrained(() => socket.close()));
  socket.on('message', (data) => {
    if (!output.write(bytesOf(data))) socket.pause();
  });
  output.on('drain', () => socket.resume());
  socket.resume();
}

function minutes(text: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0)) throw new UsageError(`"${text}" is not a number of minutes`);
  return value;
}
