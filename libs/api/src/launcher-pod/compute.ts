import type { ClusterConfig } from '../config.ts';
import { gracePeriodSeconds } from '../guest-size.ts';
import type { Container, EnvVar } from '../kubernetes.ts';
import { COMPUTE_CONTAINER } from '../names.ts';
import type { VirtualMachineInstance } from '../types.ts';
import { LAUNCHER_DIRECTORIES } from './paths.ts';
import { podProbe, STARTUP_PROBE } from './probes.ts';
import { computeResources } from './resources.ts';
import { RESTRICTED_CONTAINER } from './security.ts';
import type { LauncherVolume } from './volumes.ts';

/** The container with supervisor, libvirt, QEMU and launcher; the image's entry point is what runs. */
export function computeContainer(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  image: string,
  volumes: readonly LauncherVolume[],
): Container {
  const { livenessProbe, readinessProbe } = vmi.spec;
  const devices = volumes.flatMap(({ device }) => device ?? []);
  return {
    name: COMPUTE_CONTAINER,
    image,
    imagePullPolicy: config.imagePullPolicy,
    env: environment(vmi, config),
    resources: computeResources(vmi, config),
    volumeMounts: volumes.flatMap(({ mount }) => mount ?? []),
    ...(devices.length > 0 ? { volumeDevices: devices } : {}),
    ...(livenessProbe ? { livenessProbe: podProbe(livenessProbe, vmi), startupProbe: STARTUP_PROBE } : {}),
    ...(readinessProbe ? { readinessProbe: podProbe(readinessProbe, vmi) } : {}),
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
