export { type AccessOptions, type ClusterAccess, loadAccess, type TlsMaterial } from './access.ts';
export type {
  CallOptions,
  DeleteOptions,
  JsonRequest,
  ListQuery,
  StreamRequest,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from './calls.ts';
export { KubeClient } from './client.ts';
export { type Clock, delay, systemClock } from './clock.ts';
export {
  Controller,
  type ControllerOptions,
  type Reconcile,
  type ReconcileContext,
  type ReconcileOutcome,
  type ReconcileResult,
  TerminalError,
} from './controller.ts';
export {
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isFailedPatchTest,
  isForbidden,
  isInvalid,
  isNotFound,
  KubeError,
  type Status,
  type StatusCause,
  type StatusDetails,
} from './errors.ts';
export { EventRecorder, type EventRecorderOptions, type EventSubject, subjectOf } from './event-recorder.ts';
export type { ExecOptions, ExecSession } from './exec.ts';
export { Expectations } from './expectations.ts';
export { type ChangeHandler, Informer, type InformerOptions, withoutManagedFields } from './informer.ts';
export {
  LeaderElector,
  type LeaderElectorOptions,
  type Lease,
  type LeaseAccess,
  type LeaseSpec,
} from './leader-elector.ts';
export { leaseAccess } from './lease-access.ts';
export { type LinkedAbort, linkedAbort } from './linked-abort.ts';
export { type Logger, silentLogger } from './logger.ts';
export { microTime, rfc3339 } from './micro-time.ts';
export {
  apiVersionOf,
  controllerOf,
  controllerReference,
  formatKey,
  isOlderVersion,
  type KubeList,
  type KubeObject,
  keyOf,
  type ObjectName,
  type OwnerReference,
  parseKey,
  type Resource,
} from './objects.ts';
export { atVersion, type JsonPatchOperation, jsonPointer, type Patch } from './patch.ts';
export { type Query, type ResourceTarget, resourcePath, withQuery } from './paths.ts';
export { type ListWatcher, Reflector, type ReflectorOptions, type ReflectorSink, type Selection } from './reflector.ts';
export * from './resources.ts';
export { type Change, type Indexer, Store } from './store.ts';
export type { RawResponse } from './transport.ts';
export { WorkQueue, type WorkQueueOptions } from './work-queue.ts';
