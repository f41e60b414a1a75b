import type { KubeVirt } from './types.ts';

/**
 * What of the KubeVirt object's spec this version acts upon; a field covers all below it. docs/configuration.md says what
 * each does. Whatever else is set has no effect, and the object's status says so.
 */
export const EFFECTIVE_SETTINGS: readonly string[] = [
  'configuration.additionalGuestMemoryOverheadRatio',
  'configuration.architectureConfiguration.amd64',
  'configuration.architectureConfiguration.defaultArchitecture',
  'configuration.cpuModel',
  'configuration.cpuRequest',
  'configuration.defaultRuntimeClass',
  'configuration.developerConfiguration.cpuAllocationRatio',
  'configuration.developerConfiguration.disabledFeatureGates',
  'configuration.developerConfiguration.featureGates',
  'configuration.developerConfiguration.logVerbosity.virtLauncher',
  'configuration.developerConfiguration.memoryOvercommit',
  'configuration.developerConfiguration.nodeSelectors',
  'configuration.developerConfiguration.useEmulation',
  'configuration.emulatedMachines',
  'configuration.evictionStrategy',
  'configuration.imagePullPolicy',
  'configuration.liveUpdateConfiguration.maxCpuSockets',
  'configuration.liveUpdateConfiguration.maxGuest',
  'configuration.liveUpdateConfiguration.maxHotplugRatio',
  'configuration.machineType',
  'configuration.memBalloonStatsPeriod',
  'configuration.network.defaultNetworkInterface',
  'configuration.network.permitBridgeInterfaceOnPodNetwork',
  'configuration.obsoleteCPUModels',
  'configuration.ovmfPath',
  'configuration.selinuxLauncherType',
  'configuration.smbios',
  'configuration.supportedGuestAgentVersions',
  // There is no such log anyway but where an instance asks for it, as decision 0101 says.
  'configuration.virtualMachineOptions.disableSerialConsoleLog',
  'configuration.vmRolloutStrategy',
  'imagePullPolicy',
  'imagePullSecrets',
  'uninstallStrategy',
];

/** Fields of the spec that are set and have no effect, as paths below `spec`, in the order of the object. */
export function ignoredSettings({ spec }: KubeVirt): string[] {
  return ignoredBelow(spec, '');
}

function ignoredBelow(value: unknown, path: string): string[] {
  if (path !== '' && EFFECTIVE_SETTINGS.includes(path)) return [];
  const leads = path === '' || EFFECTIVE_SETTINGS.some((setting) => setting.startsWith(`${path}.`));
  if (!leads) return says(value) ? [path] : [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => ignoredBelow(part, path === '' ? key : `${path}.${key}`));
}

/** Whether anything is said: an empty list or object asks for nothing. */
function says(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return typeof value !== 'object' || Object.values(value).some(says);
}
