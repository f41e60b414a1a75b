import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type DescMethod, fromJson, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { type Connection, connectUnix, Launcher, RpcError, Status } from '@yagura/contracts';
import type { CliContext } from '../context.ts';
import { messageOf, UsageError } from '../errors.ts';
import { parseTarget } from '../target.ts';
import { describeMessage, describeService } from './describe.ts';
import { findLauncher } from './launcher-pod.ts';
import { openTunnel } from './tunnel.ts';

export interface GrpcFlags {
  /** Port or path to serve the launcher at, instead of calling it. */
  listen?: string;
  /** Seconds. */
  maxTime: string;
}

/** `yagura grpc`: describes the contract, calls a method, or serves the launcher's socket here. */
export async function runGrpc(
  context: CliContext,
  text: string,
  method: string | undefined,
  json: string,
  flags: GrpcFlags,
): Promise<void> {
  if (flags.listen === undefined && (method === undefined || method === 'list' || method === 'describe')) {
    context.out(method === 'describe' && json !== '{}' ? describeMethod(methodNamed(json)) : describeService(Launcher));
    return;
  }
  const client = await context.client();
  const target = parseTarget(text, client.access.namespace);
  if (flags.listen !== undefined) await listen(context, target, flags.listen);
  else await call(context, target, methodNamed(method ?? ''), parseJson(json), Number(flags.maxTime) * 1000);
  client.close();
}

function methodNamed(name: string): DescMethod {
  const method = Launcher.methods.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (method !== undefined) return method;
  throw new UsageError(
    `the launcher has no method ${name}; it has ${Launcher.methods.map((known) => known.name).join(', ')}`,
  );
}

function describeMethod(method: DescMethod): string {
  return `rpc ${method.name}\n${describeMessage(method.input)}${describeMessage(method.output)}`;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new UsageError(`the request is not JSON: ${messageOf(error)}`);
  }
}

async function call(
  context: CliContext,
  target: { namespace: string; name: string },
  method: DescMethod,
  json: JsonValue,
  timeoutMs: number,
): Promise<void> {
  let request: Message;
  try {
    request = json === null ? create(method.input) : fromJson(method.input, json);
  } catch (error) {
    throw new UsageError(`the request is no ${method.input.name}: ${messageOf(error)}`);
  }
  const client = await context.client();
  const pod = await findLauncher(client, target, context.signal);
  const directory = await mkdtemp(join(tmpdir(), 'yagura-'));
  const socket = join(directory, 's');
  let broken = '';
  const tunnel = await openTunnel({ client, pod, listen: socket, onError: (message) => (broken = message) });
  const connection = connectUnix(Launcher, socket);
  try {
    for await (const message of replies(connection, method, request, timeoutMs, context.signal))
      context.out(`${JSON.stringify(toJson(method.output, message), null, 2)}\n`);
  } catch (error) {
    if (error instanceof RpcError && broken !== '') throw new Error(broken, { cause: error });
    if (error instanceof RpcError)
      throw new Error(`${method.name}: ${Status[error.code] ?? error.code}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    connection.close();
    tunnel.close();
    await rm(directory, { recursive: true, force: true });
  }
}

type AnyCall = (
  request: Message,
  options: { timeoutMs?: number; signal: AbortSignal },
) => Promise<Message> | AsyncIterable<Message>;

/** The one reply, or each of a stream until it ends or Ctrl-C. */
async function* replies(
  { calls }: Connection<typeof Launcher>,
  method: DescMethod,
  request: Message,
  timeoutMs: number,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const invoke = (calls as unknown as Record<string, AnyCall>)[method.localName];
  if (invoke === undefined) throw new UsageError(`${method.name} cannot be called`);
  if (method.methodKind === 'server_streaming') yield* invoke(request, { signal }) as AsyncIterable<Message>;
  else yield await (invoke(request, { timeoutMs, signal }) as Promise<Message>);
}

async function listen(context: CliContext, target: { namespace: string; name: string }, where: string): Promise<void> {
  const client = await context.client();
  const pod = await findLauncher(client, target, context.signal);
  const port = /^\d+$/.test(where) ? Number(where) : undefined;
  const tunnel = await openTunnel({
    client,
    pod,
    listen: port ?? where,
    onError: (message) => context.err(`${message}\n`),
  });
  const address = port === undefined ? `-unix ${where}` : `127.0.0.1:${port}`;
  context.err(
    `launcher of ${target.namespace}/${target.name} (pod ${pod.name}); try: grpcurl -plaintext ${address} list\n`,
  );
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve();
    context.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  tunnel.close();
}
