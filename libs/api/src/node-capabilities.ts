/** What guests can be on a node, as libvirt and QEMU of the installed launcher see it there. */
export interface NodeCapabilities {
  /** Machine types of x86-64, aliases included. */
  machineTypes: string[];
  /** By software emulation. */
  emulated: CpuCapabilities;
  /** With KVM; absent where it does not work. */
  kvm?: CpuCapabilities;
}

export interface CpuCapabilities {
  /** Named models that a guest can have. */
  models: string[];
  /** Model of the host, where libvirt names one. */
  hostModel?: string;
  vendor?: string;
  /** Features that a guest can have. */
  features: string[];
}

/** File name in the directory that the launcher's image leaves it in, for virt-handler. */
export const NODE_CAPABILITIES_FILE = 'capabilities.json';
