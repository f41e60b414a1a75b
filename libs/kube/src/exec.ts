import { PassThrough, type Readable, Writable } from 'node:stream';
import WebSocket, { type RawData } from 'ws';
import type { ClusterAccess } from './access.ts';
import { ConnectionError, KubeError, type Status } from './errors.ts';
import type { ObjectName } from './objects.ts';
import { resourcePath, withQuery } from './paths.ts';
import { Pods } from './resources.ts';

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
const CONNECT_TIMEOUT_MS = 15_000;

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
  const socket = new WebSocket(
    access.server.replace(/^http/, 'ws') + path,
    ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
    {
      ...access.tls,
      headers: await access.authorize(),
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      perMessageDeflate: false,
    },
  );
  signal?.addEventListener('abort', () => socket.terminate(), { once: true });
  await opened(socket, `exec in ${target.namespace}/${target.name}`);
  return session(socket, options);
}

function opened(socket: WebSocket, label: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => reject(new ConnectionError(label, error)));
    socket.once('unexpected-response', (_request, response) => {
      const connection = response.socket;
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      response.once('end', () => {
        connection.destroy();
        reject(refusal(text, response.statusCode ?? 0, label));
      });
    });
  });
}

function refusal(text: string, code: number, label: string): KubeError {
  try {
    return new KubeError({ ...(JSON.parse(text) as Status), code }, label);
  } catch {
    return new KubeError({ message: text.trim(), code }, label);
  }
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
