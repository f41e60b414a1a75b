import { agentSocket, serialSocket, vncSocket } from '../guest-paths.ts';
import type { DevicesModel } from '../model.ts';
import type { Devices, VmiSpec } from '../vmi.ts';
import { diskModels } from './disks.ts';
import { interfaceModels } from './interfaces.ts';
import { type ConversionOptions, DEFAULT_BALLOON_STATS_PERIOD_SECONDS } from './options.ts';

export function devicesModel(spec: VmiSpec, uid: string, vcpus: number, options: ConversionOptions): DevicesModel {
  const devices: Devices = spec.domain?.devices ?? {};
  const virtioModel = devices.useVirtioTransitional ? 'virtio-transitional' : 'virtio-non-transitional';
  const disks = diskModels(spec, vcpus, options);
  const inputs = inputModels(devices);
  const on = (switchedOff: boolean | undefined) => switchedOff !== false;
  return {
    virtioModel,
    disks,
    interfaces: interfaceModels(spec, vcpus, virtioModel, options),
    usb: disks.some(({ bus }) => bus === 'usb') || inputs.some(({ bus }) => bus === 'usb'),
    scsi: disks.some(({ bus }) => bus === 'scsi'),
    serialSocket: on(devices.autoattachSerialConsole) ? serialSocket(options.privateDirectory, uid) : undefined,
    vncSocket: on(devices.autoattachGraphicsDevice) ? vncSocket(options.privateDirectory, uid) : undefined,
    agentSocket: agentSocket(options.privateDirectory, uid),
    rng: devices.rng !== undefined,
    balloonStatsPeriodSeconds: on(devices.autoattachMemBalloon)
      ? (options.balloonStatsPeriodSeconds ?? DEFAULT_BALLOON_STATS_PERIOD_SECONDS)
      : undefined,
    watchdog: watchdogModel(devices),
    inputs,
  };
}

function inputModels(devices: Devices): DevicesModel['inputs'] {
  const asked = (devices.inputs ?? []).map(({ name, bus }) => ({
    name,
    bus: bus === 'virtio' ? ('virtio' as const) : ('usb' as const),
  }));
  if (asked.length === 0 && devices.autoattachInputDevice === true) return [{ name: 'default-0', bus: 'usb' }];
  return asked;
}

function watchdogModel(devices: Devices): DevicesModel['watchdog'] {
  const watchdog = devices.watchdog;
  if (watchdog === undefined) return undefined;
  return { name: watchdog.name, action: watchdog.i6300esb?.action || 'reset' };
}
