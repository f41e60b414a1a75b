import type { ClusterConfig } from '../config.ts';
import { gracePeriodSeconds } from '../guest-size.ts';
import type { Container, ContainerProbe, EnvVar, VolumeMount } from '../kubernetes.ts';
import { COMPUTE_CONTAINER } from '../names.ts';
import type { Probe, VirtualMachineInstance } from '../types.ts';
import { LAUNCHER_DIRECTORIES } from './paths.ts';
import { computeResources } from './resources.ts';
import { RESTRICTED_CONTAINER } from './security.ts';

/** Seconds a guest is given before its first probe, beyond those the user asks for: the pod starts before the guest. */
const PROBE_HEAD_START_SECONDS = 10;

/** The container with supervisor, libvirt, QEMU and launcher; the image's entry point is what runs. */
export function computeContainer(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  image: string,
  volumeMounts: VolumeMount[],
): Container {
  const { livenessProbe, readinessProbe } = vmi.spec;
  return {
    name: COMPUTE_CONTAINER,
    image,
    imagePullPolicy: config.imagePullPolicy,
    env: environment(vmi, config),
    resources: computeResources(vmi, config),
    volumeMounts,
    ...(livenessProbe ? { livenessProbe: podProbe(livenessProbe) } : {}),
    ...(readinessProbe ? { readinessProbe: podProbe(readinessProbe) } : {}),
    securityContext: RESTRICTED_CONTAINER,
  };
}

function environment(vmi: VirtualMachineInstance, config: ClusterConfig): EnvVar[] {
  return [
    { name: 'XDG_CACHE_HOME', value: LAUNCHER_DIRECTORIES.private },
    { name: 'XDG_CONFIG_HOME', value: LAUNCHER_DIRECTORIES.private },
    { name: 'XDG_RUNTIME_DIR', value: '/var/run' },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    // Becomes the host UUID of libvirt, so that two launchers on one node are two hosts to a migration.
    { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    { name: 'GRACE_PERIOD_SECONDS', value: String(gracePeriodSeconds(vmi.spec)) },
    { name: 'LOG_VERBOSITY', value: String(config.logVerbosity.launcher) },
  ];
}

/** HTTP and TCP go to the address of the pod, which is that of the guest. */
function podProbe({ guestAgentPing: _, ...probe }: Probe): ContainerProbe {
  return { ...probe, initialDelaySeconds: (probe.initialDelaySeconds ?? 0) + PROBE_HEAD_START_SECONDS };
}
