import type { DevicesModel } from '../model.ts';

/** Devices that can be plugged into a running machine before it has to be restarted. */
const FREE_PORTS = 3;
/** Models that are PCI Express devices; the others sit on a bridge to conventional PCI. */
const EXPRESS_NICS = ['virtio-non-transitional', 'e1000e', 'igb'];

/** Root ports for the devices that take one, one for memory that may come, and some that stay free. One too many is one more that is free. */
export function rootPorts(devices: Omit<DevicesModel, 'rootPorts'>, growsMemory: boolean): number {
  const { disks, interfaces, inputs, usb, scsi, rng, balloonStatsPeriodSeconds, virtioModel } = devices;
  if (virtioModel === 'virtio-transitional') return FREE_PORTS + Number(growsMemory);
  const switched = [usb, scsi, rng, balloonStatsPeriodSeconds !== undefined, growsMemory].filter(Boolean).length;
  const virtioSerial = 1;
  return (
    FREE_PORTS +
    virtioSerial +
    switched +
    disks.filter(({ bus }) => bus === 'virtio').length +
    interfaces.filter(({ model }) => EXPRESS_NICS.includes(model)).length +
    inputs.filter(({ bus }) => bus === 'virtio').length
  );
}
