import type { ClusterConfig } from '../config.ts';
import type { ContainerSecurityContext, PodSecurityContext } from '../kubernetes.ts';
import { LAUNCHER_UID } from '../names.ts';

/** What Pod Security "restricted" asks of every container; the launcher needs no capability at all. */
export const RESTRICTED_CONTAINER: ContainerSecurityContext = {
  runAsUser: LAUNCHER_UID,
  runAsGroup: LAUNCHER_UID,
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
};

export function podSecurityContext(config: ClusterConfig): PodSecurityContext {
  return {
    runAsUser: LAUNCHER_UID,
    runAsGroup: LAUNCHER_UID,
    runAsNonRoot: true,
    fsGroup: LAUNCHER_UID,
    seccompProfile: { type: 'RuntimeDefault' },
    // Lets the DHCP server of the launcher have port 67 without a capability; a sysctl of the pod alone.
    sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
    ...(config.selinuxLauncherType ? { seLinuxOptions: { type: config.selinuxLauncherType } } : {}),
  };
}
