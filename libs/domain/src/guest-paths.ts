/** Sockets of a running domain, inside the launcher's private directory; virt-handler knows them by these names too. */
export function serialSocket(privateDirectory: string, vmiUid: string): string {
  return `${privateDirectory}/${vmiUid}/virt-serial0`;
}

export function vncSocket(privateDirectory: string, vmiUid: string): string {
  return `${privateDirectory}/${vmiUid}/virt-vnc`;
}

/** Name of the virtio port that qemu-guest-agent listens on. */
export const AGENT_CHANNEL = 'org.qemu.guest_agent.0';
