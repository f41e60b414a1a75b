import {
  ignoredSettings,
  type KubeVirt,
  type KubeVirtStatus,
  kubevirtConfig,
  removeCondition,
  setCondition,
} from '@yagura/api';

/** What is known of the product's own workloads; undefined when it could not be read. */
export interface Workload {
  name: string;
  /** Pods wanted and pods available. */
  wanted: number;
  available: number;
}

export interface InstallationWorld {
  kubevirt: KubeVirt;
  workloads: readonly Workload[];
  version: string;
  /** Instances whose launcher is not of the installed image. */
  outdatedInstances: number;
  now: string;
}

/** Settings without effect; only ever True, and absent while there is none. */
export const SETTINGS_IGNORED = 'SettingsIgnored';

/** The installation's state: Deployed once everything is available. What was deployed stays Deployed while a pod restarts, and is not Available. */
export function installationStatus({
  kubevirt,
  workloads,
  version,
  outdatedInstances,
  now,
}: InstallationWorld): KubeVirtStatus {
  const before = kubevirt.status ?? {};
  const missing = workloads.filter(({ wanted, available }) => available < Math.max(1, wanted));
  const available = missing.length === 0;
  const deployed = available || before.phase === 'Deployed';
  const text = missing.map((one) => `${one.name}: ${one.available} of ${one.wanted} available`).join(', ');
  let conditions = before.conditions;
  const set = (type: string, holds: boolean, reason: string, message: string) => {
    const wanted = {
      type,
      status: holds ? ('True' as const) : ('False' as const),
      reason,
      message,
      messageChange: 'update' as const,
    };
    conditions = setCondition(conditions, wanted, now);
  };
  const reason = available ? 'AllComponentsReady' : 'ComponentsNotReady';
  set('Available', available, reason, available ? 'all components are ready' : text);
  set('Progressing', !deployed, reason, deployed ? 'the installation is complete' : text);
  set('Degraded', deployed && !available, reason, available ? 'all components are ready' : text);
  const ignored = ignoredSettings(kubevirt);
  const settings = `no effect in this version: ${ignored.map((path) => `spec.${path}`).join(', ')}`;
  if (ignored.length > 0) set(SETTINGS_IGNORED, true, 'UnsupportedSettings', settings);
  else conditions = removeCondition(conditions ?? [], SETTINGS_IGNORED);
  return {
    ...before,
    phase: deployed ? 'Deployed' : 'Deploying',
    observedKubeVirtVersion: version,
    targetKubeVirtVersion: version,
    defaultArchitecture: kubevirtConfig(kubevirt).defaultArchitecture,
    outdatedVirtualMachineInstanceWorkloads: outdatedInstances,
    ...(kubevirt.metadata.generation ? { observedGeneration: kubevirt.metadata.generation } : {}),
    ...(conditions ? { conditions } : {}),
  };
}
