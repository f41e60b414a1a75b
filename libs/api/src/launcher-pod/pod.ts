import { POD_UNPAUSED_CONDITION } from '../condition-types.ts';
import type { ClusterConfig } from '../config.ts';
import { gracePeriodSeconds } from '../guest-size.ts';
import type { Pod, PodSpec } from '../kubernetes.ts';
import { LABELS } from '../labels.ts';
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '../types.ts';
import { computeContainer } from './compute.ts';
import { containerDiskContainers, imageSources } from './container-disks.ts';
import { hostnameOf, podMetadata } from './metadata.ts';
import { isGuaranteed } from './resources.ts';
import { podSecurityContext } from './security.ts';
import { type ClaimModes, launcherVolumes } from './volumes.ts';

/** Seconds after the guest's own grace in which the launcher powers it off and says what happened. */
export const POD_GRACE_MARGIN_SECONDS = 15;

export interface LauncherPodOptions {
  /** Image of the launcher. */
  image: string;
  /** Name of the pod, from `launcherPodName`. */
  podName: string;
  /** Volume modes of the claims that the instance names; a claim that is missing here is taken for a filesystem. */
  claims?: ClaimModes;
}

/** The pod that runs the instance, which must be stored (have a uid), defaulted and valid. */
export function renderLauncherPod(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  options: LauncherPodOptions,
): Pod {
  const volumes = launcherVolumes(vmi.spec, options.claims ?? new Map());
  const compute = computeContainer(vmi, config, options.image, volumes);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: podMetadata(vmi, config, options.podName),
    spec: {
      ...scheduling(vmi.spec, config),
      ...passedThrough(vmi.spec),
      ...serviceAccount(vmi.spec),
      hostname: hostnameOf(vmi),
      restartPolicy: 'Never',
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: gracePeriodSeconds(vmi.spec) + POD_GRACE_MARGIN_SECONDS,
      readinessGates: [{ conditionType: POD_UNPAUSED_CONDITION }],
      securityContext: podSecurityContext(config),
      ...pullSecrets(vmi.spec, config),
      containers: [compute, ...containerDiskContainers(vmi.spec, isGuaranteed(compute))],
      volumes: volumes.map(({ volume }) => volume),
    },
  };
}

function scheduling(spec: VirtualMachineInstanceSpec, config: ClusterConfig): Partial<PodSpec> {
  return {
    nodeSelector: {
      ...config.nodeSelectors,
      ...spec.nodeSelector,
      [LABELS.schedulable]: 'true',
      'kubernetes.io/arch': spec.architecture || config.defaultArchitecture,
      ...abilities(spec),
    },
    ...(config.defaultRuntimeClass ? { runtimeClassName: config.defaultRuntimeClass } : {}),
  };
}

/** Labels of the nodes that can be the machine, as virt-handler puts them there. */
function abilities({ domain }: VirtualMachineInstanceSpec): Record<string, string> {
  const { machine, cpu } = domain;
  const named = cpu?.model && !['host-model', 'host-passthrough'].includes(cpu.model) ? [cpu.model] : [];
  const required = (cpu?.features ?? []).filter(({ policy }) => (policy || 'require') === 'require');
  const labels = [
    ...(machine?.type ? [LABELS.machineType + machine.type] : []),
    ...named.map((model) => LABELS.cpuModel + model),
    ...required.map(({ name }) => LABELS.cpuFeature + name),
  ];
  return Object.fromEntries(labels.map((label) => [label, 'true']));
}

const PASSED_THROUGH = [
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'schedulerName',
  'priorityClassName',
  'serviceAccountName',
  'subdomain',
  'dnsPolicy',
  'dnsConfig',
] as const;

/** What the instance says with the words of a pod. */
function passedThrough(spec: VirtualMachineInstanceSpec): Partial<PodSpec> {
  return Object.fromEntries(PASSED_THROUGH.flatMap((key) => (spec[key] ? [[key, spec[key]]] : [])));
}

/** A guest that is given credentials gets those of its pod. */
function serviceAccount({ volumes }: VirtualMachineInstanceSpec): Partial<PodSpec> {
  const given = volumes?.find(({ serviceAccount: source }) => source)?.serviceAccount?.serviceAccountName;
  return given ? { serviceAccountName: given } : {};
}

function pullSecrets(spec: VirtualMachineInstanceSpec, config: ClusterConfig): Partial<PodSpec> {
  const own = imageSources(spec).flatMap(({ source }) => (source.imagePullSecret ? [source.imagePullSecret] : []));
  const names = [...new Set([...config.imagePullSecrets, ...own])];
  return names.length > 0 ? { imagePullSecrets: names.map((name) => ({ name })) } : {};
}
