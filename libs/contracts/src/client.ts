import { create, type DescMethod, type DescService, type Message } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { fromServiceError, RpcError, Status } from './rpc-error.ts';
import { methodDefinition } from './service-definition.ts';
import type { CallOptions, ServiceClient } from './service-types.ts';
import { unixAddress } from './unix-address.ts';

/** Deadline of a unary call that names none. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** A connection to one server: made once, kept for the peer's life, closed at its end. */
export interface Connection<S> {
  readonly calls: ServiceClient<S>;
  close(): void;
}

/**
 * Connects to a service on a Unix socket. grpc-js connects at the first call and again whenever the server comes back;
 * a call made while it is away fails with UNAVAILABLE.
 */
export function connectUnix<S extends DescService>(
  service: S,
  socketPath: string,
  defaults: { timeoutMs?: number } = {},
): Connection<S> {
  const client = new Client(unixAddress(socketPath), credentials.createInsecure(), {
    'grpc.enable_channelz': 0,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.min_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    // A socket path may be used again by another server: never share its connection between clients.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': 16 * 1024 * 1024,
  });
  const timeoutMs = defaults.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const calls = Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      method.methodKind === 'unary' ? unary(client, service, method, timeoutMs) : serverStream(client, service, method),
    ]),
  );
  return { calls: calls as ServiceClient<S>, close: () => client.close() };
}

function unary(client: Client, service: DescService, method: DescMethod, defaultTimeoutMs: number) {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(service, method);
  return async (request: Record<string, unknown>, options: CallOptions = {}): Promise<Message> =>
    new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest<Message, Message>(
        path,
        requestSerialize,
        responseDeserialize,
        create(method.input, request),
        new Metadata(),
        { deadline: Date.now() + (options.timeoutMs ?? defaultTimeoutMs) },
        (error, response) => {
          options.signal?.removeEventListener('abort', cancel);
          if (error) reject(fromServiceError(error));
          else if (response === undefined) reject(new RpcError(Status.INTERNAL, `${path} answered with nothing`));
          else resolve(response);
        },
      );
      const cancel = () => call.cancel();
      if (options.signal?.aborted) cancel();
      else options.signal?.addEventListener('abort', cancel, { once: true });
    });
}

function serverStream(client: Client, service: DescService, method: DescMethod) {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(service, method);
  return async function* (request: Record<string, unknown>, options: CallOptions = {}): AsyncGenerator<Message> {
    const deadline = options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.timeoutMs;
    const call = client.makeServerStreamRequest<Message, Message>(
      path,
      requestSerialize,
      responseDeserialize,
      create(method.input, request),
      new Metadata(),
      { deadline },
    );
    const cancel = () => call.cancel();
    if (options.signal?.aborted) cancel();
    else options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      for await (const message of call) yield message as Message;
    } catch (error) {
      throw fromServiceError(error as ServiceError);
    } finally {
      options.signal?.removeEventListener('abort', cancel);
      cancel();
    }
  };
}
