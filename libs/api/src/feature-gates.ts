/** Always on, whatever the configuration says: what they once guarded is part of the product. */
const GA = [
  'LiveMigration',
  'SRIOVLiveMigration',
  'NonRoot',
  'PSA',
  'CPUNodeDiscovery',
  'NUMA',
  'GPU',
  'HotplugNICs',
  'VMLiveUpdateFeatures',
  'NetworkBindingPlugins',
  'DynamicPodInterfaceNaming',
  'VolumesUpdateStrategy',
  'VolumeMigration',
  'AutoResourceLimitsGate',
  'ClusterProfiler',
  'VMPersistentState',
  'VMExport',
  'PersistentReservation',
  'ExpandDisks',
  'PanicDevices',
  'VideoConfig',
  'MigrationPriorityQueue',
  'VmiMemoryOverheadReport',
  'BochsDisplayForEFIGuests',
  'LiveUpdateNADRef',
];

/** On unless disabled. */
const BETA = [
  'ImageVolume',
  'Snapshot',
  'WorkloadEncryptionSEV',
  'KubevirtSeccompProfile',
  'NodeRestriction',
  'GPUsWithDRA',
  'HostDevicesWithDRA',
  'DecentralizedLiveMigration',
  'DeclarativeHotplugVolumes',
  'PasstBinding',
  'RebootPolicy',
];

/**
 * The gates that are on: always-on ones, then those the configuration enables, then those on by default that it does
 * not disable. Enabling wins over disabling. A gate nobody knows is on when it is enabled, and harmless.
 */
export function gatesOf(enabled: readonly string[], disabled: readonly string[]): ReadonlySet<string> {
  return new Set([...GA, ...enabled, ...BETA.filter((gate) => !disabled.includes(gate))]);
}
