export * from './access-credentials.ts';
export { ANNOTATIONS } from './annotations.ts';
export * from './claims.ts';
export { POD_UNPAUSED_CONDITION, REASONS, VM_CONDITIONS, VMI_CONDITIONS } from './condition-types.ts';
export { findCondition, isConditionTrue, type NewCondition, removeCondition, setCondition } from './conditions.ts';
export { type ClusterConfig, kubevirtConfig } from './config.ts';
export * from './data-volumes.ts';
export {
  type DefaultsSource,
  defaultVirtualMachine,
  defaultVirtualMachineInstance,
  withStatusOf,
} from './defaults/defaults.ts';
export { defaultMigration } from './defaults/migration.ts';
export { parseDuration } from './duration.ts';
export { FINALIZERS } from './finalizers.ts';
export * from './guest-size.ts';
export { ignoredSettings } from './ignored-settings.ts';
export { type JsonPatchOperation, jsonPatch, pointerToken } from './json-patch.ts';
export type * from './kubernetes.ts';
export { HOTPLUG_LABEL_VALUE, LABELS, LAUNCHER_LABEL_VALUE, RESERVED_VMI_LABELS } from './labels.ts';
export * from './launcher-end.ts';
export { attachmentPodName, renderAttachmentPod } from './launcher-pod/attachment-pod.ts';
export {
  containerDiskContainerName,
  imageSources,
  KERNEL_BOOT_VOLUME,
  pullPolicyOf,
} from './launcher-pod/container-disks.ts';
export { type PodGrowth, type PodResources, podGrowth, podResizePending } from './launcher-pod/growth.ts';
export { hostnameOf, launcherPodName } from './launcher-pod/metadata.ts';
export { memoryOverhead, OVERHEAD_MIB } from './launcher-pod/overhead.ts';
export * from './launcher-pod/paths.ts';
export { type LauncherPodOptions, POD_GRACE_MARGIN_SECONDS, renderLauncherPod } from './launcher-pod/pod.ts';
export type { ClaimModes } from './launcher-pod/volumes.ts';
export { launcherVmi } from './launcher-vmi.ts';
export { MEMORY_BLOCK } from './memory-room.ts';
export * from './names.ts';
export * from './networks.ts';
export * from './node-capabilities.ts';
export * from './phases.ts';
export * from './quantity.ts';
export type * from './subresources.ts';
export type * from './types.ts';
export { instanceOf, uuidOfName } from './vm/instance.ts';
export { isOfOtherGeneration, type TemplateDrift, templateDrift } from './vm/live-update.ts';
export * from './vm/plugged-volumes.ts';
export { type PrintableFacts, printableStatus } from './vm/printable-status.ts';
export { runStrategyOf } from './vm/run-strategy.ts';
