import type { VirtualMachineInstanceSpec } from '../types.ts';
import { INPUT_BUSES, PANIC_MODELS, SOUND_MODELS, VIDEO_TYPES, WATCHDOG_ACTIONS } from '../words.ts';
import type { Report } from './report.ts';

/** Devices without storage or network. */
export function validateDevices(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { devices } = spec.domain;
  const field = `${at}.domain.devices`;
  devices.inputs?.forEach((input, index) => {
    const path = `${field}.inputs[${index}]`;
    report.oneOf(`${path}.bus`, input.bus, INPUT_BUSES);
    if (input.type !== 'tablet') report.invalid(`${path}.type`, `is "${input.type}"; only tablet is supported`);
  });
  report.unique(
    (devices.inputs ?? []).map(({ name }, index) => ({ field: `${field}.inputs[${index}].name`, value: name })),
    'name',
  );
  validateWatchdog(spec, `${field}.watchdog`, report);
  const { sound, video, panicDevices } = devices;
  if (sound) {
    if (!sound.name) report.required(`${field}.sound.name`, 'is empty; give the device a name');
    report.oneOf(`${field}.sound.model`, sound.model, SOUND_MODELS);
  }
  report.oneOf(`${field}.video.type`, video?.type, VIDEO_TYPES);
  if (video && devices.autoattachGraphicsDevice === false) {
    report.invalid(`${field}.video`, `is set, but ${field}.autoattachGraphicsDevice is false; remove one of both`);
  }
  panicDevices?.forEach(({ model }, index) => {
    report.oneOf(`${field}.panicDevices[${index}].model`, model, PANIC_MODELS);
  });
  validateHostDevices(spec, field, report);
  validateFilesystems(spec, at, report);
}

function validateWatchdog({ domain }: VirtualMachineInstanceSpec, field: string, report: Report): void {
  const { watchdog } = domain.devices;
  if (!watchdog) return;
  if (watchdog.diag288) {
    report.invalid(`${field}.diag288`, 'is a device of s390x machines; a guest of amd64 has i6300esb');
  }
  report.oneOf(`${field}.i6300esb.action`, watchdog.i6300esb?.action, WATCHDOG_ACTIONS);
}

function validateHostDevices({ domain }: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const passed = (['gpus', 'hostDevices'] as const).flatMap((kind) =>
    (domain.devices[kind] ?? []).map((device, index) => ({ device, field: `${at}.${kind}[${index}]` })),
  );
  for (const { device, field } of passed) {
    if (!device.name) report.required(`${field}.name`, 'is empty; give the device a name');
    report.exactlyOne(field, { deviceName: device.deviceName || undefined, claimName: device.claimName || undefined }, [
      'deviceName',
      'claimName',
    ]);
  }
  report.unique(
    passed.map(({ device, field }) => ({ field: `${field}.name`, value: device.name })),
    'name',
  );
}

function validateFilesystems(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const filesystems = spec.domain.devices.filesystems ?? [];
  const path = `${at}.domain.devices.filesystems`;
  filesystems.forEach(({ name }, index) => {
    if (!spec.volumes?.some((volume) => volume.name === name)) {
      report.invalid(`${path}[${index}].name`, `is "${name}", but ${at}.volumes has no volume of that name`);
    }
  });
  report.unique(
    filesystems.map(({ name }, index) => ({ field: `${path}[${index}].name`, value: name })),
    'name',
  );
}
