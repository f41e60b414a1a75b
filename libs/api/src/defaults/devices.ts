import type { ClusterConfig } from '../config.ts';
import type { Devices, Disk, Input, VirtualMachineInstanceSpec, Watchdog } from '../types.ts';

const DEFAULT_BUS = 'sata';
const DEFAULT_NETWORK = 'default';

/** Disks for volumes without one, a NIC on the pod network if there is none, and what devices leave open. */
export function withDefaultDevices(
  spec: VirtualMachineInstanceSpec,
  config: ClusterConfig,
): VirtualMachineInstanceSpec {
  const { devices } = spec.domain;
  const withNetwork = needsPodInterface(spec);
  const disks = [...(devices.disks ?? []), ...missingDisks(spec)].map(defaultDisk);
  const inputs = defaultInputs(devices);
  const after: Devices = {
    ...devices,
    ...(disks.length > 0 ? { disks } : {}),
    ...(inputs.length > 0 ? { inputs } : {}),
    ...(devices.watchdog ? { watchdog: defaultWatchdog(devices.watchdog) } : {}),
    ...(withNetwork ? { interfaces: [{ name: DEFAULT_NETWORK, [config.defaultNetworkInterface]: {} }] } : {}),
  };
  return {
    ...spec,
    domain: { ...spec.domain, devices: after },
    ...(withNetwork ? { networks: [{ name: DEFAULT_NETWORK, pod: {} }] } : {}),
  };
}

function needsPodInterface({ networks, domain }: VirtualMachineInstanceSpec): boolean {
  const { autoattachPodInterface, interfaces } = domain.devices;
  return autoattachPodInterface !== false && !networks?.length && !interfaces?.length;
}

/** A volume that nothing shows to the guest is shown as a disk; that is what it was written for. */
function missingDisks({ volumes, domain }: VirtualMachineInstanceSpec): Disk[] {
  const { disks, filesystems } = domain.devices;
  const shown = new Set([...(disks ?? []), ...(filesystems ?? [])].map(({ name }) => name));
  const hidden = (volumes ?? []).filter(({ name, memoryDump }) => !shown.has(name) && !memoryDump);
  return hidden.map(({ name }) => ({ name }));
}

function defaultDisk(disk: Disk): Disk {
  // Commands are passed on by SCSI alone.
  if (disk.lun) return { ...disk, lun: { ...disk.lun, bus: disk.lun.bus ?? 'scsi' } };
  if (disk.cdrom) {
    const { bus, readonly, tray } = disk.cdrom;
    return { ...disk, cdrom: { bus: bus || DEFAULT_BUS, readonly: readonly ?? true, tray: tray || 'closed' } };
  }
  return { ...disk, disk: { ...disk.disk, bus: disk.disk?.bus || DEFAULT_BUS } };
}

function defaultInputs({ inputs, autoattachInputDevice }: Devices): Input[] {
  if (!inputs?.length) return autoattachInputDevice ? [{ name: 'default-0', type: 'tablet', bus: 'usb' }] : [];
  return inputs.map((input) => ({ ...input, bus: input.bus || 'usb', type: input.type || 'tablet' }));
}

function defaultWatchdog(watchdog: Watchdog): Watchdog {
  if (watchdog.diag288) return watchdog;
  return { ...watchdog, i6300esb: { action: watchdog.i6300esb?.action || 'reset' } };
}
