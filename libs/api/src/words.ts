/** Words of the wire contract that are checked at run time. The schemas narrow their types from the same lists. */
export const DISK_BUSES = ['virtio', 'sata', 'scsi', 'usb'] as const;
export const DISK_CACHES = ['none', 'writethrough', 'writeback'] as const;
export const DISK_IO_MODES = ['native', 'threads'] as const;
export const DISK_ERROR_POLICIES = ['stop', 'ignore', 'report', 'enospace'] as const;
export const INTERFACE_MODELS = ['virtio', 'e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139'] as const;
export const INTERFACE_STATES = ['up', 'down', 'absent'] as const;
export const CPU_FEATURE_POLICIES = ['force', 'require', 'optional', 'disable', 'forbid'] as const;
export const WATCHDOG_ACTIONS = ['reset', 'poweroff', 'shutdown'] as const;
export const EVICTION_STRATEGIES = ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'] as const;
export const RUN_STRATEGIES = ['Always', 'RerunOnFailure', 'Manual', 'Once', 'Halted', 'WaitAsReceiver'] as const;
export const DNS_POLICIES = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'] as const;
export const IMAGE_PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
