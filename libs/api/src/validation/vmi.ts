import type { ClusterConfig } from '../config.ts';
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '../types.ts';
import { validateAccessCredentials } from './access-credentials.ts';
import { validateDevices } from './devices.ts';
import { validateDisks } from './disks.ts';
import { validateFeatures } from './features.ts';
import { validateFirmware } from './firmware.ts';
import { validateGates } from './gates.ts';
import { refuseAnnotations, reservedLabels } from './metadata.ts';
import { validateNetworks } from './networks.ts';
import { validatePodParts } from './pod-parts.ts';
import { type Cause, Report } from './report.ts';
import { validateResources } from './resources.ts';
import { sameJson } from './same-json.ts';
import { validateText } from './text.ts';
import { refuseUnsupported } from './unsupported.ts';
import { validateVolumes } from './volumes.ts';

/** What is being done to the object, and by whom. */
export type Admission<T> =
  | { operation: 'CREATE'; byProduct?: boolean }
  | { operation: 'UPDATE'; old: T; byProduct?: boolean };

/** @param at path of the spec in the object, such as `spec.template.spec` */
export function validateSpec(
  spec: VirtualMachineInstanceSpec,
  config: ClusterConfig,
  at: string,
  report: Report,
): void {
  validateResources(spec, config, at, report);
  validateDisks(spec, config, at, report);
  validateVolumes(spec, at, report);
  validateNetworks(spec, config, at, report);
  validateDevices(spec, at, report);
  validateFirmware(spec, at, report);
  validateFeatures(spec, at, report);
  validatePodParts(spec, at, report);
  validateAccessCredentials(spec, at, report);
  validateText(spec, at, report);
  refuseUnsupported(spec, at, report);
}

/** Everything that is wrong with an instance; empty when it may be stored. It must be structurally valid already. */
export function validateVirtualMachineInstance(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  admission: Admission<VirtualMachineInstance>,
): Cause[] {
  const report = new Report();
  if (admission.operation === 'CREATE') {
    validateSpec(vmi.spec, config, 'spec', report);
    validateGates(vmi.spec, config, 'spec', report);
    volumesAreUsed(vmi.spec, report);
    refuseAnnotations(vmi.metadata, 'metadata', report);
    if (!admission.byProduct) reservedLabels(vmi.metadata, undefined, 'metadata', report);
  } else if (!admission.byProduct) {
    if (!sameJson(vmi.spec, admission.old.spec)) {
      report.notSupported(
        'spec',
        'cannot be changed: update of VMI object is restricted, change the VirtualMachine instead',
      );
    }
    reservedLabels(vmi.metadata, admission.old.metadata, 'metadata', report);
  }
  return report.causes;
}

function volumesAreUsed({ volumes, domain }: VirtualMachineInstanceSpec, report: Report): void {
  const { disks, filesystems } = domain.devices;
  const used = new Set([...(disks ?? []), ...(filesystems ?? [])].map(({ name }) => name));
  volumes?.forEach((volume, index) => {
    if (used.has(volume.name) || volume.memoryDump) return;
    report.invalid(`spec.volumes[${index}].name`, `is "${volume.name}", but no disk or filesystem has that name`);
  });
}
