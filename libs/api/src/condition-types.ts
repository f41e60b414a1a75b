/** Types of the conditions of a VirtualMachineInstance. */
export const VMI_CONDITIONS = {
  ready: 'Ready',
  podScheduled: 'PodScheduled',
  provisioning: 'Provisioning',
  dataVolumesReady: 'DataVolumesReady',
  /** Only ever False: the instance is not as its spec says. */
  synchronized: 'Synchronized',
  paused: 'Paused',
  /** True while the guest agent is connected, absent otherwise. */
  agentConnected: 'AgentConnected',
  agentVersionNotSupported: 'AgentVersionNotSupported',
  accessCredentialsSynchronized: 'AccessCredentialsSynchronized',
  liveMigratable: 'LiveMigratable',
  storageLiveMigratable: 'StorageLiveMigratable',
  hotVcpuChange: 'HotVCPUChange',
  hotMemoryChange: 'HotMemoryChange',
  volumesChange: 'VolumesChange',
  migrationRequired: 'MigrationRequired',
  evictionRequested: 'EvictionRequested',
  softwareEmulation: 'SoftwareEmulation',
} as const;

/** Types of the conditions that belong to the VirtualMachine itself; all others are copies of the instance's. */
export const VM_CONDITIONS = {
  ready: 'Ready',
  failure: 'Failure',
  restartRequired: 'RestartRequired',
} as const;

/** Readiness gate of launcher pods: False while the guest is paused. */
export const POD_UNPAUSED_CONDITION = 'kubevirt.io/virtual-machine-unpaused';

export const REASONS = {
  podNotExists: 'PodNotExists',
  podTerminating: 'PodTerminating',
  guestNotRunning: 'GuestNotRunning',
  podConditionMissing: 'PodConditionMissing',
  vmiNotExists: 'VMINotExists',
  vmiConditionMissing: 'VMIConditionMissing',
  failedCreate: 'FailedCreate',
  failedDelete: 'FailedDelete',
  failedPvcNotFound: 'FailedPvcNotFound',
  /** The pod that brings a plugged volume to the node cannot be made. */
  failedHotplugSync: 'FailedHotplugSync',
  /** The launcher pod is being made larger for a guest that grows. */
  podResizing: 'PodResizing',
  /** The kubelet makes the pod larger once there is room on its node. */
  podResizeDeferred: 'PodResizeDeferred',
  /** The pod cannot become as large on its node. */
  podResizeInfeasible: 'PodResizeInfeasible',
  /** The API server does not let the pod become larger. */
  podResizeRefused: 'PodResizeRefused',
  /** The pod is large enough; the guest is next. */
  podResized: 'PodResized',
  /** libvirt could not give the guest what its pod has. */
  hotPlugFailed: 'HotPlugFailed',
  /** The guest is offered memory, and its kernel has not taken all of it. */
  waitingForGuest: 'WaitingForGuest',
  errImagePull: 'ErrImagePull',
  imagePullBackOff: 'ImagePullBackOff',
  unschedulable: 'Unschedulable',
  pausedByUser: 'PausedByUser',
  pausedIoError: 'PausedIOError',
  nodeUnresponsive: 'NodeUnresponsive',
  /** Literal reason of Synchronized=False when virt-handler cannot reach what the spec asks for. */
  syncFailed: 'Synchronizing with the Domain failed.',
} as const;
