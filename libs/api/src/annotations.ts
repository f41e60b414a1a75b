/** Annotation keys; the comment names the objects that carry them. */
export const ANNOTATIONS = {
  /** Launcher pods: name of the instance. */
  domain: 'kubevirt.io/domain',
  /** Launcher pods: container that kubectl logs and exec take. */
  defaultContainer: 'kubectl.kubernetes.io/default-container',
  /** Launcher pods: migration over unix sockets is possible. */
  migrationTransportUnix: 'kubevirt.io/migrationTransportUnix',
  /** Launcher pods: bytes of memory requested beyond that of the guest. */
  memoryOverheadBytes: 'kubevirt.io/memory-overhead-bytes',
  /** Target pods: name of the migration. */
  migrationJobName: 'kubevirt.io/migrationJobName',
  migrationTargetReadyTimestamp: 'kubevirt.io/migration-target-ready-timestamp',
  /** Nodes: RFC 3339 time of the last sign of life of virt-handler. */
  heartbeat: 'kubevirt.io/heartbeat',
  /** All kubevirt objects: API versions that were seen and stored. */
  latestObservedApiVersion: 'kubevirt.io/latest-observed-api-version',
  storageObservedApiVersion: 'kubevirt.io/storage-observed-api-version',
  /** Instances: generation of the virtual machine they were made from. */
  vmGeneration: 'kubevirt.io/vm-generation',
  /** Instances: layout of PCI root ports, fixed at creation. */
  pciTopologyVersion: 'kubevirt.io/pci-topology-version',
  /** Instances: bridge on the pod network does not stand in the way of migration. */
  allowPodBridgeLiveMigration: 'kubevirt.io/allow-pod-bridge-network-live-migration',
  /** Instances: names of volumes that were plugged into the instance alone, with commas between. */
  ephemeralHotplugVolumes: 'kubevirt.io/ephemeral-hotplug-volumes',
  /** Instances: guest agent probes succeed without being asked. */
  pauseGuestAgentProbes: 'kubevirt.io/pause-guest-agent-probes',
  /** Instances: the launcher stays after a failure, for debugging. */
  keepLauncherAlive: 'kubevirt.io/keep-launcher-alive-after-failure',
  /** Instances: libvirt's log filters. */
  libvirtLogFilters: 'kubevirt.io/libvirt-log-filters',
  /** Instances: waits for a guest from elsewhere. */
  createMigrationTarget: 'kubevirt.io/create-migration-target',
  /** Migrations: where they come from. */
  evacuationMigration: 'kubevirt.io/evacuationMigration',
  workloadUpdateMigration: 'kubevirt.io/workloadUpdateMigration',
  /** Pods: networks that Multus attaches, and what it attached. */
  multusNetworks: 'k8s.v1.cni.cncf.io/networks',
  multusNetworkStatus: 'k8s.v1.cni.cncf.io/network-status',
  multusDefaultNetwork: 'v1.multus-cni.io/default-network',
} as const;

export const PCI_TOPOLOGY_VERSION = 'v3';
