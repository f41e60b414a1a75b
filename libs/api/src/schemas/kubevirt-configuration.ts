import type { Static } from 'typebox';
import { EVICTION_STRATEGIES, IMAGE_PULL_POLICIES } from '../words.ts';
import {
  bool,
  int32,
  int64,
  list,
  map,
  object,
  oneOf,
  quantity,
  quantityMap,
  str,
  stringMap,
  strings,
} from './build.ts';
import { MediatedDevicesConfigurationSchema, PermittedHostDevicesSchema } from './host-devices.ts';
import { LabelSelectorSchema } from './meta.ts';
import { MigrationConfigurationSchema } from './migration-state.ts';

const verbosity = (component: string) => int32(`Log verbosity of ${component}; 2 if unset.`);

const DeveloperConfigurationSchema = object('Settings that few installations change.', {
  featureGates: strings('Feature gates that are on.'),
  disabledFeatureGates: strings('Feature gates that are off although they are on by default.'),
  useEmulation: bool('Runs guests by software emulation (TCG) where KVM is not to be had; false if unset.'),
  cpuAllocationRatio: int32('Virtual CPUs for each physical one that is requested; 10 if unset.'),
  memoryOvercommit: int32('Guest memory in percent of the memory requested for it; 100 if unset.'),
  pvcTolerateLessSpaceUpToPercent: int32('How much smaller than asked for a claim may be; 10 if unset.'),
  minimumReservePVCBytes: int64('Bytes kept free on the filesystem of a claim; 131072 if unset.'),
  minimumClusterTSCFrequency: int64('Lowest TSC frequency in Hz that guests are given.'),
  nodeSelectors: stringMap('Labels that every node with guests must have.'),
  diskVerification: object('Limits of the inspection of disk images.', {
    memoryLimit: quantity('Memory; 2000Mi if unset.'),
  }),
  logVerbosity: object('Log verbosity of each component.', {
    virtAPI: verbosity('virt-api'),
    virtController: verbosity('virt-controller'),
    virtHandler: verbosity('virt-handler'),
    virtLauncher: verbosity('virt-launcher'),
    virtOperator: verbosity('an operator'),
    nodeVerbosity: map('Log verbosity of virt-handler by node.', int32('')),
  }),
  clusterProfiler: bool('Whether the profiler routes are on.'),
});

const NetworkConfigurationSchema = object('Network settings.', {
  defaultNetworkInterface: oneOf('Binding of the interface that is added on the pod network; bridge if unset.', [
    'bridge',
    'masquerade',
  ]),
  permitBridgeInterfaceOnPodNetwork: bool('Whether bridge is allowed on the pod network; true if unset.'),
  permitSlirpInterface: bool('Discontinued.'),
  binding: map(
    'Network binding plugins by name.',
    object('A network binding plugin.', {
      sidecarImage: str('Image of the sidecar that runs with the launcher.'),
      networkAttachmentDefinition: str('NetworkAttachmentDefinition that sets the network up.'),
      domainAttachmentType: str('How the guest is attached: tap or managedTap.'),
      migration: object('Migration of the binding.', { method: str('link-refresh.') }),
      downwardAPI: str('device-info.'),
      computeResourceOverhead: object('What the binding needs in the launcher pod.', {
        requests: quantityMap('Requests.'),
        limits: quantityMap('Limits.'),
      }),
    }),
  ),
});

const archConfiguration = (arch: string) =>
  object(`Settings for guests of architecture ${arch}.`, {
    machineType: str('Machine type of guests that name none.'),
    emulatedMachines: strings('Machine types that guests may name; a trailing * matches anything.'),
    ovmfPath: str('Directory of the EFI firmware.'),
  });

const ClientRateSchema = object('How fast a component talks to the API server.', {
  restClient: object('Client settings.', {
    rateLimiter: object('Rate limiter.', {
      tokenBucketRateLimiter: object('Token bucket.', {}, { qps: int32('Requests a second.'), burst: int32('Burst.') }),
    }),
  }),
});

export const KubeVirtConfigurationSchema = object('Cluster-wide settings; watched, no restart is needed.', {
  additionalGuestMemoryOverheadRatio: str('Factor on the computed memory overhead; 1 if unset.'),
  apiConfiguration: ClientRateSchema,
  architectureConfiguration: object('Settings by architecture.', {
    amd64: archConfiguration('amd64'),
    arm64: archConfiguration('arm64'),
    s390x: archConfiguration('s390x'),
    defaultArchitecture: str('Architecture of guests that name none; amd64 if unset.'),
  }),
  autoCPULimitNamespaceLabelSelector: LabelSelectorSchema,
  changedBlockTrackingLabelSelectors: object('Guests whose changed blocks are tracked.', {
    namespaceLabelSelector: LabelSelectorSchema,
    virtualMachineLabelSelector: LabelSelectorSchema,
  }),
  commonInstancetypesDeployment: object('Instance types that come with the product.', {
    enabled: bool('Whether they are installed.'),
  }),
  controllerConfiguration: ClientRateSchema,
  cpuModel: str('CPU model of guests that name none; host-model if unset.'),
  cpuRequest: quantity('CPU requested for a guest that says nothing about CPU; 100m if unset.'),
  defaultRuntimeClass: str('Runtime class of launcher pods.'),
  developerConfiguration: DeveloperConfigurationSchema,
  emulatedMachines: strings('Deprecated; use architectureConfiguration.'),
  evictionStrategy: oneOf('Eviction strategy of guests that name none; None if unset.', EVICTION_STRATEGIES),
  handlerConfiguration: ClientRateSchema,
  imagePullPolicy: oneOf('When images of the product are pulled; IfNotPresent if unset.', IMAGE_PULL_POLICIES),
  instancetype: object('Instance types.', {
    referencePolicy: oneOf('What becomes of a reference when the virtual machine is made.', [
      'reference',
      'expand',
      'expandAll',
    ]),
  }),
  ksmConfiguration: object('Kernel samepage merging.', { nodeLabelSelector: LabelSelectorSchema }),
  liveUpdateConfiguration: object('Limits of changes to a running guest.', {
    maxCpuSockets: int32('Most sockets a guest may grow to.'),
    maxGuest: quantity('Most memory a guest may grow to.'),
    maxHotplugRatio: int32('How many times its first size a guest may grow to; 4 if unset.'),
  }),
  machineType: str('Deprecated; use architectureConfiguration.'),
  mediatedDevicesConfiguration: MediatedDevicesConfigurationSchema,
  memBalloonStatsPeriod: int32('Seconds between memory statistics; 10 if unset, 0 turns them off.'),
  migrations: MigrationConfigurationSchema,
  minCPUModel: str('Oldest CPU model that nodes are labelled with.'),
  network: NetworkConfigurationSchema,
  obsoleteCPUModels: map('CPU models that nodes are not labelled with.', bool('')),
  ovmfPath: str('Deprecated; use architectureConfiguration.'),
  permittedHostDevices: PermittedHostDevicesSchema,
  seccompConfiguration: object('Seccomp profiles.', {
    virtualMachineInstanceProfile: object('Profile of launcher pods.', {
      customProfile: object('A profile other than that of the runtime; one is set.', {
        localhostProfile: str('Profile on the node.'),
        runtimeDefaultProfile: bool('Profile of the container runtime.'),
      }),
    }),
  }),
  selinuxLauncherType: str('SELinux type of launcher pods.'),
  smbios: object('System the guest sees in SMBIOS.', {
    manufacturer: str('KubeVirt if unset.'),
    family: str('KubeVirt if unset.'),
    product: str('None if unset.'),
    sku: str('SKU.'),
    version: str('Version.'),
  }),
  supportContainerResources: list(
    'Resources of containers that run beside the guest.',
    object(
      'Resources of one kind of container.',
      {},
      {
        type: str('container-disk, guest-console-log, hotplug-disk, sidecar, virtiofs or vmexport.'),
        resources: object('What the container gets.', {
          requests: quantityMap('Requests.'),
          limits: quantityMap('Limits.'),
        }),
      },
    ),
  ),
  supportedGuestAgentVersions: strings('Guest agent versions that are supported when an agent lists no commands.'),
  tlsConfiguration: object('TLS of the servers of the product.', {
    minTLSVersion: str('Lowest version, such as VersionTLS12.'),
    ciphers: strings('Cipher suites for TLS 1.2.'),
  }),
  virtualMachineInstancesPerNode: int32('Most guests on a node.'),
  virtualMachineOptions: object('Options of all guests.', {
    disableFreePageReporting: object('Turns free page reporting off.', {}),
    disableSerialConsoleLog: object('Turns the log of the serial console off.', {}),
  }),
  vmRolloutStrategy: oneOf('How a change of a running virtual machine takes effect; LiveUpdate if unset.', [
    'LiveUpdate',
    'Stage',
  ]),
  vmStateStorageClass: str('Storage class of claims with TPM and EFI state.'),
  webhookConfiguration: ClientRateSchema,
});
export type KubeVirtConfiguration = Static<typeof KubeVirtConfigurationSchema>;
