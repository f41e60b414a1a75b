import { chmod, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { create, type DescMethod, type DescService } from '@bufbuild/protobuf';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { RpcError, toStatusObject } from './rpc-error.ts';
import { serviceDefinition } from './service-definition.ts';
import type { CallContext, ServiceHandlers } from './service-types.ts';
import { unixAddress } from './unix-address.ts';

/** Called with every error that a handler threw, before it is sent. */
export type ErrorObserver = (method: string, error: RpcError) => void;

/** A new server; channelz is off because it never forgets a connection. */
export function createServer(): Server {
  return new Server({ 'grpc.enable_channelz': 0, 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
}

/** Registers typed handlers. An error that they throw reaches the client as its status with its details. */
export function addService<S extends DescService>(
  server: Server,
  service: S,
  handlers: ServiceHandlers<S>,
  onError: ErrorObserver = () => {},
): void {
  const implementation: UntypedServiceImplementation = {};
  for (const method of service.methods) {
    const handler = (handlers as Record<string, unknown>)[method.localName];
    implementation[method.localName] =
      method.methodKind === 'unary'
        ? unary(method, handler as UnaryHandler, onError)
        : serverStream(server, method, handler as StreamHandler, onError);
  }
  server.addService(serviceDefinition(service), implementation);
}

type UnaryHandler = (request: object, context: CallContext) => Promise<Record<string, unknown>>;
type StreamHandler = (request: object, context: CallContext) => AsyncIterable<Record<string, unknown>>;

function unary(method: DescMethod, handler: UnaryHandler, onError: ErrorObserver): handleUnaryCall<object, object> {
  return (call, callback) => {
    const abort = new AbortController();
    call.on('cancelled', () => abort.abort());
    handler(call.request, { signal: abort.signal }).then(
      (response) => callback(null, create(method.output, response)),
      (thrown: unknown) => {
        const error = RpcError.from(thrown);
        onError(method.name, error);
        callback(toStatusObject(error));
      },
    );
  };
}

/** Streams under way. Without channelz grpc-js does not know its connections, so that its forceShutdown ends none. */
const openStreams = new WeakMap<Server, Set<() => void>>();

function serverStream(
  server: Server,
  method: DescMethod,
  handler: StreamHandler,
  onError: ErrorObserver,
): handleServerStreamingCall<object, object> {
  return (call) => {
    const abort = new AbortController();
    const cut = () => {
      abort.abort();
      call.end();
    };
    const streams = openStreams.get(server) ?? new Set();
    openStreams.set(server, streams.add(cut));
    call.on('cancelled', () => abort.abort());
    call.on('close', () => abort.abort());
    abort.signal.addEventListener('abort', () => streams.delete(cut), { once: true });
    const run = async () => {
      for await (const message of handler(call.request, { signal: abort.signal })) {
        if (abort.signal.aborted) return;
        await written(call, create(method.output, message), abort.signal);
      }
    };
    run().then(
      () => call.end(),
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        const error = RpcError.from(thrown);
        onError(method.name, error);
        call.emit('error', toStatusObject(error));
      },
    );
  };
}

/** Resolves when the message is handed to the transport, or when nobody waits for it any more. */
async function written(
  call: ServerWritableStream<object, object>,
  message: object,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    call.write(message, done);
  });
}

/** Listens on a Unix socket. A file left by a server that died is removed; one that somebody answers on is an error. */
export async function listenUnix(server: Server, socketPath: string, mode = 0o770): Promise<void> {
  const address = unixAddress(socketPath);
  if (await answers(socketPath)) throw new Error(`another server already listens on ${socketPath}`);
  await rm(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  await chmod(socketPath, mode);
}

async function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Time for the ends of streams to reach their clients. */
const CUT_MS = 50;

/** Ends a server: waits for calls under way for `graceMs`, then cuts what is left (an open stream never ends by itself). */
export async function shutdownServer(server: Server, graceMs = 1_000): Promise<void> {
  const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  const cut = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    for (const end of [...(openStreams.get(server) ?? [])]) end();
    server.forceShutdown();
    // What is still open after this is not ours to end, e.g. a client that asks for the server's health.
    setTimeout(cut.resolve, CUT_MS);
  }, graceMs);
  await Promise.race([closed, cut.promise]);
  clearTimeout(timer);
}
