/** Label keys; the comment names the objects that carry them. */
export const LABELS = {
  /** Launcher pods and the product's own pods: name of the component. */
  app: 'kubevirt.io',
  /** Launcher pods: UID of the instance. Revisions and data volumes: that of the virtual machine. */
  createdBy: 'kubevirt.io/created-by',
  /** Launcher pods: name of the guest's host. */
  vmName: 'vm.kubevirt.io/name',
  /** Launcher pods: name of the instance, shortened with a hash when it is longer than a label may be. */
  vmiId: 'vmi.kubevirt.io/id',
  /** Instances and launcher pods: node that runs the guest. */
  nodeName: 'kubevirt.io/nodeName',
  /** Instances: node the guest is being migrated to. */
  migrationTargetNodeName: 'kubevirt.io/migrationTargetNodeName',
  /** Target pods: UID of the migration. */
  migrationJobUid: 'kubevirt.io/migrationJobUID',
  /** Target pods of another cluster: name of the migration. */
  migrationName: 'kubevirt.io/migrationName',
  /** Migrations: name of the instance. */
  migrationVmiName: 'kubevirt.io/vmi-name',
  /** Instances and launcher pods: the launcher is not of the installed version. */
  outdatedLauncherImage: 'kubevirt.io/outdatedLauncherImage',
  /** Nodes: "true" while virt-handler can run guests there. */
  schedulable: 'kubevirt.io/schedulable',
  cpuManager: 'kubevirt.io/cpumanager',
  cpuModel: 'cpu-model.node.kubevirt.io/',
  cpuFeature: 'cpu-feature.node.kubevirt.io/',
  cpuVendor: 'cpu-vendor.node.kubevirt.io/',
  hostModelCpu: 'host-model-cpu.node.kubevirt.io/',
  hostModelRequiredFeatures: 'host-model-required-features.node.kubevirt.io/',
  machineType: 'machine-type.node.kubevirt.io/',
  /** Nodes: the host's CPU model is outdated. */
  obsoleteHostModel: 'node-labeller.kubevirt.io/obsolete-host-model',
} as const;

export const LAUNCHER_LABEL_VALUE = 'virt-launcher';
/** Pods that bring a hot-plugged volume to the node of its guest. */
export const HOTPLUG_LABEL_VALUE = 'hotplug-disk';

/** Labels of an instance that only the product may set: they decide who acts upon it. */
export const RESERVED_VMI_LABELS: readonly string[] = [
  LABELS.createdBy,
  LABELS.migrationJobUid,
  LABELS.nodeName,
  LABELS.migrationTargetNodeName,
  LABELS.schedulable,
  'kubevirt.io/install-strategy',
];
