export type { CallOptions } from './call.ts';
export { Connection, type OpenOptions } from './connection.ts';
export { Domain } from './domain.ts';
export type {
  ControlInfo,
  DiskError,
  DomainBlockInfo,
  DomainBlockStats,
  DomainInfo,
  DomainInterfaceStats,
  DomainMemoryStats,
} from './domain-figures.ts';
export type { AgentTimeout, GuestTime, InterfaceAddresses } from './domain-guest.ts';
export type {
  BalloonStats,
  BlockStats,
  CpuStats,
  DirtyRateStats,
  DomainIdentity,
  DomainStats,
  NetStats,
  VcpuStats,
} from './domain-stats.ts';
export type { ErrorCode, ErrorDomain } from './error-codes.ts';
export {
  type AgentProblem,
  agentProblem,
  HandleClosedError,
  isConnectionLost,
  isLibvirtError,
  LibvirtError,
  LibvirtTimeoutError,
} from './errors.ts';
export type { Subscription } from './event-hub.ts';
export type { CloseReason, DomainEvent, DomainEventOf, DomainEventType } from './events.ts';
export { CLOSE_REASONS, LIFECYCLE_DETAILS } from './events.ts';
export type {
  AbortJobFlag,
  AddressSource,
  CreateFlag,
  DefineFlag,
  DestroyFlag,
  DeviceFlag,
  DirtyRateMode,
  GuestInfoType,
  ImpactFlag,
  JobStatsFlag,
  ListFlag,
  MetadataType,
  MigrateFlag,
  SetTimeFlag,
  ShutdownFlag,
  StatsFlag,
  StatsGroup,
  UndefineFlag,
  VcpuFlag,
  XmlFlag,
} from './flags.ts';
export type {
  GuestAddress,
  GuestDisk,
  GuestFilesystem,
  GuestFilesystemDisk,
  GuestInfo,
  GuestInterface,
  GuestOs,
  GuestUser,
} from './guest-info.ts';
export type { JobOperation, JobProgress, JobStats, JobType, MigrateParams } from './jobs.ts';
export {
  DOMAIN_REASONS,
  DOMAIN_STATES,
  type DomainState,
  type ReasonOf,
  type StateAndReason,
  type Unlisted,
} from './states.ts';
export type { TypedParams, TypedValue } from './typed-params.ts';
