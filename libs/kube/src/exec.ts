import { PassThrough, type Readable, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { ClusterAccess } from './access.ts';
import { ConnectionError, KubeError, type Status } from './errors.ts';
import type { ObjectName } from './objects.ts';
import { resourcePath, withQuery } from './paths.ts';
import { Pods } from './resources.ts';
import { openKubeWebSocket } from './websocket.ts';

export interface ExecOptions {
  command: readonly string[];
  /** Whether the command gets a standard input; default false. */
  stdin?: boolean;
  tty?: boolean;
}
export interface ExecSession {
  /** Ending it closes the command's standard input (v5 servers only; older ones have no way to say so). */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Empty with a tty. */
  readonly stderr: Readable;
  /** The command's exit code; rejects when the session broke before the code was known. */
  readonly exit: Promise<number>;
  resize(columns: number, rows: number): void;
  close(): void;
}

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** pods/exec over WebSocket, protocol v5 (v4 with older servers): the first byte of each message names its channel. */
export async function openExec(
  access: ClusterAccess,
  target: ObjectName & { container?: string },
  options: ExecOptions,
  signal?: AbortSignal,
): Promise<ExecSession> {
  const path = withQuery(resourcePath(Pods, { namespace: target.namespace, name: target.name, subresource: 'exec' }), {
    container: target.container,
    command: options.command,
    stdin: options.stdin ?? false,
    stdout: true,
    stderr: !options.tty,
    tty: options.tty ?? false,
  });
  const label = `exec in ${target.namespace}/${target.name}`;
  const socket = await openKubeWebSocket(access, path, ['v5.channel.k8s.io', 'v4.channel.k8s.io'], label, signal);
  signal?.addEventListener('abort', () => socket.terminate(), { once: true });
  const started = session(socket, options);
  socket.resume();
  return started;
}

function session(socket: WebSocket, options: ExecOptions): ExecSession {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const send = (channel: number, data: Uint8Array, done?: (error?: Error | null) => void) =>
    socket.send(Buffer.concat([Buffer.of(channel), data]), done);
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => send(CHANNEL.stdin, chunk, done),
    final: (done) => {
      if (socket.protocol === 'v5.channel.k8s.io') send(CHANNEL.close, Buffer.of(CHANNEL.stdin));
      done();
    },
  });
  stdin.on('error', () => {});
  if (!options.stdin) stdin.end();

  const deliver = (stream: PassThrough, data: Buffer) => {
    if (stream.write(data)) return;
    socket.pause();
    stream.once('drain', () => socket.resume());
  };
  const exit = new Promise<number>((resolve, reject) => {
    socket.on('message', (raw: RawData) => {
      const message = Array.isArray(raw) ? Buffer.concat(raw) : Buffer.from(raw as Buffer);
      const data = message.subarray(1);
      if (message[0] === CHANNEL.stdout) deliver(stdout, data);
      else if (message[0] === CHANNEL.stderr) deliver(stderr, data);
      else if (message[0] === CHANNEL.error) settle(data.toString('utf8'), resolve, reject);
    });
    socket.once('error', (error) => reject(new ConnectionError('exec', error)));
    socket.once('close', () => {
      stdout.end();
      stderr.end();
      reject(new ConnectionError('exec', 'the session ended without an exit status'));
    });
  });
  exit.catch(() => {});
  return {
    stdin,
    stdout,
    stderr,
    exit,
    resize: (columns, rows) => send(CHANNEL.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows }))),
    close: () => socket.close(),
  };
}

function settle(text: string, resolve: (code: number) => void, reject: (error: Error) => void): void {
  const status = JSON.parse(text) as Status;
  if (status.status === 'Success') return resolve(0);
  const code = status.details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
  if (status.reason === 'NonZeroExitCode' && code !== undefined) return resolve(Number(code));
  reject(new KubeError(status, 'exec'));
}
