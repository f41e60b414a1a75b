import { stat } from 'node:fs/promises';
import { DEVICES } from '@yagura/api';

/** As many guests as a node will ever hold: the devices can be opened any number of times. */
const SHARES = 1000;

/** What a container is given that was allocated one of a resource. */
export interface Grant {
  devices: { path: string; permissions: string }[];
  mounts: { hostPath: string; containerPath: string }[];
}

/** A resource that this node may offer to the kubelet. */
export interface DeviceResource {
  name: string;
  count: number;
  grant: Grant;
  /** Whether the node has it now. */
  available: () => Promise<boolean>;
}

/** The devices of the product. `helperOnHost` is the node's path of the container disk helper, `helperHere` ours. */
export function deviceResources(helperOnHost: string, helperInContainer: string, helperHere: string): DeviceResource[] {
  return [
    device(DEVICES.kvm, '/dev/kvm'),
    device(DEVICES.tun, '/dev/net/tun'),
    device(DEVICES.vhostNet, '/dev/vhost-net'),
    {
      name: DEVICES.containerDisk,
      count: SHARES,
      grant: { devices: [], mounts: [{ hostPath: helperOnHost, containerPath: helperInContainer }] },
      available: async () => isFile(helperHere),
    },
  ];
}

function device(name: string, path: string): DeviceResource {
  return {
    name,
    count: SHARES,
    grant: { devices: [{ path, permissions: 'mrw' }], mounts: [] },
    available: async () => isCharacterDevice(path),
  };
}

async function isCharacterDevice(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isCharacterDevice(),
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
