export type { WebSocket } from 'ws';
export { acceptWebSocket, isUpgrade, MAX_MESSAGE_BYTES, PROTOCOL } from './accept.ts';
export { CLOSE, closeWith, type End } from './close.ts';
export { bytesOf, Outgoing } from './flow.ts';
export { joinSocket } from './join-socket.ts';
export { keepAlive } from './keep-alive.ts';
export { openWebSocket, RefusedError } from './open.ts';
export { relay } from './relay.ts';
