/** An entry of a VMI's `status.interfaces`, in the names of the wire. */
export interface InterfaceStatus {
  name?: string;
  mac?: string;
  ipAddress?: string;
  ipAddresses?: string[];
  podInterfaceName?: string;
  interfaceName?: string;
  infoSource?: string;
  queueCount?: number;
  linkState?: string;
}

/** An interface of the spec with what its network and binding mean for its addresses. */
export interface InterfaceIntent {
  name: string;
  binding: 'masquerade' | 'bridge' | 'other';
  network: 'pod' | 'multus' | 'other';
}

/** An interface as the running domain has it. */
export interface DomainInterfaceView {
  name: string;
  mac: string;
  queues: number;
  linkState: string;
}

/** An interface as the guest agent told it. */
export interface GuestInterfaceView {
  name: string;
  mac?: string;
  addresses: string[];
}
