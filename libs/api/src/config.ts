import { gatesOf } from './feature-gates.ts';
import { own } from './own.ts';
import type { EvictionStrategy, KubeVirt, KubeVirtConfiguration, MigrationConfiguration, Quantity } from './types.ts';

type MigrationDefaults = Required<Omit<MigrationConfiguration, 'network' | 'allowWorkloadDisruption'>>;

/** The cluster's configuration with nothing left open: what the KubeVirt object says, and the defaults for the rest. */
export interface ClusterConfig {
  featureGates: ReadonlySet<string>;
  useEmulation: boolean;
  cpuAllocationRatio: number;
  /** Percent. */
  memoryOvercommit: number;
  additionalGuestMemoryOverheadRatio: number;
  defaultArchitecture: string;
  machineType: string;
  /** Machine types a guest may name; a trailing `*` matches anything. */
  emulatedMachines: string[];
  ovmfPath: string;
  /** Absent: host-model. */
  cpuModel: string | undefined;
  cpuRequest: Quantity;
  /** CPU models that nodes are not labelled with. */
  obsoleteCpuModels: ReadonlySet<string>;
  evictionStrategy: EvictionStrategy;
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  imagePullSecrets: string[];
  defaultNetworkInterface: 'bridge' | 'masquerade';
  permitBridgeInterfaceOnPodNetwork: boolean;
  /** Seconds; 0 is off. */
  memBalloonStatsPeriod: number;
  smbios: { manufacturer: string; family: string; product: string; sku?: string; version?: string };
  supportedGuestAgentVersions: string[];
  vmRolloutStrategy: 'LiveUpdate' | 'Stage';
  liveUpdate: { maxHotplugRatio: number; maxCpuSockets: number | undefined; maxGuest: Quantity | undefined };
  migrations: MigrationDefaults & Pick<MigrationConfiguration, 'network' | 'allowWorkloadDisruption'>;
  /** How the image on the filesystem of a claim is sized. */
  claimImages: { reservedBytes: number; shortagePercent: number };
  nodeSelectors: Record<string, string>;
  defaultRuntimeClass: string | undefined;
  selinuxLauncherType: string | undefined;
  logVerbosity: { api: number; controller: number; handler: number; launcher: number; byNode: Record<string, number> };
  virtualMachineInstancesPerNode: number | undefined;
}

const LOG_VERBOSITY = 2;
const MIGRATIONS: MigrationDefaults = {
  parallelMigrationsPerCluster: 5,
  parallelOutboundMigrationsPerNode: 2,
  bandwidthPerMigration: '0Mi',
  completionTimeoutPerGiB: 150,
  progressTimeout: 150,
  maxDowntimeMs: 900,
  utilityVolumesTimeout: 150,
  allowAutoConverge: false,
  allowPostCopy: false,
  unsafeMigrationOverride: false,
  disableTLS: false,
  matchSELinuxLevelOnMigration: true,
  nodeDrainTaintKey: 'kubevirt.io/drain',
};

const ARCHITECTURES: Record<string, { machineType: string; emulatedMachines: string[]; ovmfPath: string }> = {
  amd64: { machineType: 'q35', emulatedMachines: ['q35*', 'pc-q35*'], ovmfPath: '/usr/share/edk2/ovmf' },
  arm64: { machineType: 'virt', emulatedMachines: ['virt*'], ovmfPath: '/usr/share/edk2/aarch64' },
  s390x: { machineType: 's390-ccw-virtio', emulatedMachines: ['s390-ccw-virtio*'], ovmfPath: '' },
};

/** Resolves the KubeVirt object; without one, everything is at its default. */
export function kubevirtConfig(kubevirt: KubeVirt | undefined): ClusterConfig {
  const config: KubeVirtConfiguration = kubevirt?.spec.configuration ?? {};
  const developer = config.developerConfiguration ?? {};
  const network = config.network ?? {};
  const live = config.liveUpdateConfiguration ?? {};
  return {
    featureGates: gatesOf(developer.featureGates ?? [], developer.disabledFeatureGates ?? []),
    useEmulation: developer.useEmulation ?? false,
    cpuAllocationRatio: positive(developer.cpuAllocationRatio, 10),
    memoryOvercommit: positive(developer.memoryOvercommit, 100),
    additionalGuestMemoryOverheadRatio: positive(Number(config.additionalGuestMemoryOverheadRatio), 1),
    ...architecture(config),
    cpuModel: config.cpuModel || undefined,
    cpuRequest: config.cpuRequest ?? '100m',
    obsoleteCpuModels: new Set(
      Object.entries(config.obsoleteCPUModels ?? {}).flatMap(([model, obsolete]) => (obsolete ? [model] : [])),
    ),
    evictionStrategy: config.evictionStrategy ?? 'None',
    imagePullPolicy: config.imagePullPolicy ?? kubevirt?.spec.imagePullPolicy ?? 'IfNotPresent',
    imagePullSecrets: (kubevirt?.spec.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [name] : [])),
    defaultNetworkInterface: network.defaultNetworkInterface ?? 'bridge',
    permitBridgeInterfaceOnPodNetwork: network.permitBridgeInterfaceOnPodNetwork ?? true,
    memBalloonStatsPeriod: config.memBalloonStatsPeriod ?? 10,
    smbios: { manufacturer: 'KubeVirt', family: 'KubeVirt', product: 'None', ...config.smbios },
    supportedGuestAgentVersions: config.supportedGuestAgentVersions ?? ['2.*', '3.*', '4.*', '5.*'],
    vmRolloutStrategy: config.vmRolloutStrategy ?? 'LiveUpdate',
    liveUpdate: {
      maxHotplugRatio: positive(live.maxHotplugRatio, 4),
      maxCpuSockets: live.maxCpuSockets,
      maxGuest: live.maxGuest,
    },
    migrations: { ...MIGRATIONS, ...config.migrations },
    claimImages: {
      reservedBytes: developer.minimumReservePVCBytes ?? 131_072,
      shortagePercent: developer.pvcTolerateLessSpaceUpToPercent ?? 10,
    },
    nodeSelectors: developer.nodeSelectors ?? {},
    defaultRuntimeClass: config.defaultRuntimeClass || undefined,
    selinuxLauncherType: config.selinuxLauncherType || undefined,
    logVerbosity: {
      api: developer.logVerbosity?.virtAPI ?? LOG_VERBOSITY,
      controller: developer.logVerbosity?.virtController ?? LOG_VERBOSITY,
      handler: developer.logVerbosity?.virtHandler ?? LOG_VERBOSITY,
      launcher: developer.logVerbosity?.virtLauncher ?? LOG_VERBOSITY,
      byNode: developer.logVerbosity?.nodeVerbosity ?? {},
    },
    virtualMachineInstancesPerNode: config.virtualMachineInstancesPerNode,
  };
}

function architecture(config: KubeVirtConfiguration) {
  const byArchitecture = config.architectureConfiguration ?? {};
  const name = byArchitecture.defaultArchitecture || 'amd64';
  const set =
    own({ amd64: byArchitecture.amd64, arm64: byArchitecture.arm64, s390x: byArchitecture.s390x }, name) ?? {};
  const defaults = own(ARCHITECTURES, name) ?? { machineType: '', emulatedMachines: [], ovmfPath: '' };
  return {
    defaultArchitecture: name,
    machineType: set.machineType || config.machineType || defaults.machineType,
    emulatedMachines: set.emulatedMachines ?? config.emulatedMachines ?? defaults.emulatedMachines,
    ovmfPath: set.ovmfPath || config.ovmfPath || defaults.ovmfPath,
  };
}

// A ratio of zero or less says nothing that could be followed.
function positive(value: number | undefined, otherwise: number): number {
  return value !== undefined && value > 0 ? value : otherwise;
}
