/** What the cluster is: its nodes, their addresses and their shares of the machine. Pure. */
export interface NodePlan {
  readonly name: string;
  readonly ip: string;
  readonly podCidr: string;
  readonly mac: string;
  /** The host's end of the node's cable: at most 15 characters. */
  readonly link: string;
  readonly lanLink: string;
}

export interface Resources {
  readonly milliCpu: number;
  readonly memoryKi: number;
}

export const network = {
  bridge: 'ygr0',
  // Fixed: a bridge otherwise takes the lowest address of its ports, and nodes lose the host for seconds when one comes or goes.
  bridgeMac: '02:79:67:72:00:01',
  linkPrefix: 'ygr-',
  /** A second Ethernet, without addresses, that all nodes are on: for secondary networks. */
  lanBridge: 'ygr1',
  lanBridgeMac: '02:79:67:72:00:02',
  lanLinkPrefix: 'ygr1-',
  hostIp: '10.89.123.1',
  prefix: 24,
  nodes: '10.89.123.0/24',
  pods: '10.244.0.0/16',
  services: '10.96.0.0/16',
  apiService: '10.96.0.1',
  dnsService: '10.96.0.10',
  apiPort: 6443,
} as const;

export const apiUrl = `https://${network.hostIp}:${network.apiPort}`;

export function planNodes(count: number): NodePlan[] {
  if (!Number.isInteger(count) || count < 1 || count > 9) throw new RangeError(`${count} nodes: 1 to 9 are possible`);
  return Array.from({ length: count }, (_, index) => {
    const name = `node-${String.fromCharCode(97 + index)}`;
    return {
      name,
      ip: `10.89.123.${11 + index}`,
      podCidr: `10.244.${1 + index}.0/24`,
      mac: `02:79:67:72:00:${(11 + index).toString(16).padStart(2, '0')}`,
      link: `${network.linkPrefix}${name}`,
      lanLink: `${network.lanLinkPrefix}${name}`,
    };
  });
}

function share(total: number, parts: number, index: number): number {
  return Math.floor(total / parts) + (index < total % parts ? 1 : 0);
}

/** Each node's kubelet sees the whole machine: it must reserve what is the others', so that the shares sum to the machine. */
export function reservedFor(machine: Resources, nodes: number, index: number): Resources {
  return {
    milliCpu: machine.milliCpu - share(machine.milliCpu, nodes, index),
    memoryKi: machine.memoryKi - share(machine.memoryKi, nodes, index),
  };
}

export function parseMemTotal(meminfo: string): number {
  const found = /^MemTotal:\s+(\d+) kB$/m.exec(meminfo)?.[1];
  if (found === undefined) throw new Error('/proc/meminfo has no MemTotal');
  return Number(found);
}
