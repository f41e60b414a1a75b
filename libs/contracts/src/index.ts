export { type Connection, connectUnix } from './client.ts';
export * from './gen/yagura/launcher/v1/launcher_pb.js';
export * from './gen/yagura/launcher/v1/vmi_pb.js';
export { RpcError, type RpcErrorDetails, Status } from './rpc-error.ts';
export { addService, createServer, type ErrorObserver, listenUnix, shutdownServer } from './server.ts';
export type { CallContext, CallOptions, ServiceClient, ServiceHandlers } from './service-types.ts';
export { MAX_SOCKET_PATH, unixAddress } from './unix-address.ts';
