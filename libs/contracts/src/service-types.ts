import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2';

/** What a handler is told about its call besides the request. */
export interface CallContext {
  /** Aborted when the client goes away, its deadline passes, or the server is torn down. */
  signal: AbortSignal;
}

/** What a caller may say about a call besides the request. */
export interface CallOptions {
  /** Every call has a deadline: the client's default where this is absent. A stream has none unless given. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

type Method = GenServiceMethods[string];
type Input<M extends Method> = M['input'] extends DescMessage ? M['input'] : never;
type Output<M extends Method> = M['output'] extends DescMessage ? M['output'] : never;

type Handler<M extends Method> = M['methodKind'] extends 'unary'
  ? (request: MessageShape<Input<M>>, context: CallContext) => Promise<MessageInitShape<Output<M>>>
  : M['methodKind'] extends 'server_streaming'
    ? (request: MessageShape<Input<M>>, context: CallContext) => AsyncIterable<MessageInitShape<Output<M>>>
    : never;

type Call<M extends Method> = M['methodKind'] extends 'unary'
  ? (request: MessageInitShape<Input<M>>, options?: CallOptions) => Promise<MessageShape<Output<M>>>
  : M['methodKind'] extends 'server_streaming'
    ? (request: MessageInitShape<Input<M>>, options?: CallOptions) => AsyncIterable<MessageShape<Output<M>>>
    : never;

/** One handler for each method of the service; none may be missing. */
export type ServiceHandlers<S> =
  S extends GenService<infer Methods> ? { [K in keyof Methods]: Handler<Methods[K]> } : never;

/** One function for each method of the service. */
export type ServiceClient<S> = S extends GenService<infer Methods> ? { [K in keyof Methods]: Call<Methods[K]> } : never;
