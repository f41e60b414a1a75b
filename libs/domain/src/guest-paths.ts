/** Sockets of a running domain, inside the launcher's private directory; virt-handler knows them by these names too. */
export function serialSocket(privateDirectory: string, vmiUid: string): string {
  return `${privateDirectory}/${vmiUid}/virt-serial0`;
}

/** The log of the serial console; one that was full is beside it with ".0" behind its name. */
export function serialLog(privateDirectory: string, vmiUid: string): string {
  return `${serialSocket(privateDirectory, vmiUid)}-log`;
}

export function vncSocket(privateDirectory: string, vmiUid: string): string {
  return `${privateDirectory}/${vmiUid}/virt-vnc`;
}

/** QEMU's end of the agent's channel. libvirt's own choice would hold the domain's name and come near the limit of a path. */
export function agentSocket(privateDirectory: string, vmiUid: string): string {
  return `${privateDirectory}/${vmiUid}/agent`;
}

/** Name of the virtio port that qemu-guest-agent listens on. */
export const AGENT_CHANNEL = 'org.qemu.guest_agent.0';
