import { ConversionError } from '../errors.ts';
import { agentSocket, serialLog, serialSocket, vncSocket } from '../guest-paths.ts';
import type { DevicesModel } from '../model.ts';
import type { Devices, VmiSpec } from '../vmi.ts';
import { maxMemoryBytes } from './compute.ts';
import { diskModels } from './disks.ts';
import { interfaceModels } from './interfaces.ts';
import { type ConversionOptions, DEFAULT_BALLOON_STATS_PERIOD_SECONDS } from './options.ts';
import { rootPorts } from './root-ports.ts';

export function devicesModel(spec: VmiSpec, uid: string, vcpus: number, options: ConversionOptions): DevicesModel {
  const devices: Devices = spec.domain?.devices ?? {};
  const virtioModel = devices.useVirtioTransitional ? 'virtio-transitional' : 'virtio-non-transitional';
  const disks = diskModels(spec, vcpus, options);
  const inputs = inputModels(devices);
  const on = (switchedOff: boolean | undefined) => switchedOff !== false;
  const model: Omit<DevicesModel, 'rootPorts'> = {
    virtioModel,
    disks,
    interfaces: interfaceModels(spec, vcpus, virtioModel, options),
    usb: disks.some(({ bus }) => bus === 'usb') || inputs.some(({ bus }) => bus === 'usb'),
    // Without disks, it is there for those that are plugged in.
    scsi: !devices.disableHotplug || disks.some(({ bus }) => bus === 'scsi'),
    serialSocket: on(devices.autoattachSerialConsole) ? serialSocket(options.privateDirectory, uid) : undefined,
    serialLog: serialLogOf(devices, uid, options),
    vncSocket: on(devices.autoattachGraphicsDevice) ? vncSocket(options.privateDirectory, uid) : undefined,
    video: videoModel(spec),
    agentSocket: agentSocket(options.privateDirectory, uid),
    rng: devices.rng !== undefined,
    balloonStatsPeriodSeconds: on(devices.autoattachMemBalloon)
      ? (options.balloonStatsPeriodSeconds ?? DEFAULT_BALLOON_STATS_PERIOD_SECONDS)
      : undefined,
    watchdog: watchdogModel(devices),
    sound: devices.sound && { name: devices.sound.name, model: devices.sound.model || 'ich9' },
    panics: (devices.panicDevices ?? []).map(({ model }) => model || undefined),
    tpm: tpmWanted(devices),
    inputs,
  };
  return { ...model, rootPorts: devices.disableHotplug ? 0 : rootPorts(model, maxMemoryBytes(spec) !== undefined) };
}

function inputModels(devices: Devices): DevicesModel['inputs'] {
  const asked = (devices.inputs ?? []).map(({ name, bus }) => ({
    name,
    bus: bus === 'virtio' ? ('virtio' as const) : ('usb' as const),
  }));
  if (asked.length === 0 && devices.autoattachInputDevice === true) return [{ name: 'default-0', bus: 'usb' }];
  return asked;
}

function serialLogOf({ autoattachSerialConsole, logSerialConsole }: Devices, uid: string, options: ConversionOptions) {
  if (autoattachSerialConsole === false || logSerialConsole !== true) return undefined;
  return serialLog(options.privateDirectory, uid);
}

/** A UEFI guest draws on a plain framebuffer until its driver comes; the BIOS and old guests want VGA. */
function videoModel({ domain }: VmiSpec): DevicesModel['video'] {
  if (domain.devices?.autoattachGraphicsDevice === false) return undefined;
  const type = domain.devices?.video?.type || (domain.firmware?.bootloader?.efi === undefined ? 'vga' : 'bochs');
  return { type, vram: type === 'vga' ? 16384 : undefined };
}

function tpmWanted({ tpm }: Devices): boolean {
  if (tpm === undefined || tpm.enabled === false) return false;
  if (tpm.persistent === true) {
    throw new ConversionError(
      'spec.domain.devices.tpm.persistent',
      'needs storage that outlives the pod, which is not supported yet',
    );
  }
  return true;
}

function watchdogModel(devices: Devices): DevicesModel['watchdog'] {
  const watchdog = devices.watchdog;
  if (watchdog === undefined) return undefined;
  return { name: watchdog.name, action: watchdog.i6300esb?.action || 'reset' };
}
