import type { ClusterConfig } from '../config.ts';
import { withDefaultDevices } from '../defaults/devices.ts';
import type { VirtualMachine } from '../types.ts';
import { RUN_STRATEGIES } from '../words.ts';
import { validateDataVolumeTemplates } from './data-volume-templates.ts';
import { validateGates } from './gates.ts';
import { refuseAnnotations, reservedLabels } from './metadata.ts';
import { type Cause, list, Report } from './report.ts';
import { sameJson } from './same-json.ts';
import { refuseFields, SUPPORTED_RUN_STRATEGIES, UNSUPPORTED_VM_FIELDS } from './unsupported.ts';
import { validateSpec } from './vmi.ts';

/**
 * Everything that is wrong with a virtual machine; empty when it may be stored. It must be structurally valid already.
 * @param old what is stored, for an update
 */
export function validateVirtualMachine(vm: VirtualMachine, config: ClusterConfig, old?: VirtualMachine): Cause[] {
  const report = new Report();
  validateRunStrategy(vm, report);
  refuseFields(vm.spec, UNSUPPORTED_VM_FIELDS, 'spec', report);
  validateDataVolumeTemplates(vm, report);
  report.oneOf('spec.updateVolumesStrategy', vm.spec.updateVolumesStrategy, ['Replacement', 'Migration']);
  if (old) validateChange(vm, old, report);
  const { template } = vm.spec;
  if (!template) {
    report.required('spec.template', 'is missing');
  } else {
    // A volume without a disk gets one at each start, and so does a guest without a network.
    validateSpec(withDefaultDevices(template.spec, config), config, 'spec.template.spec', report);
    if (!old) validateGates(template.spec, config, 'spec.template.spec', report);
    const metadata = template.metadata ?? undefined;
    reservedLabels(metadata, old?.spec.template?.metadata ?? undefined, 'spec.template.metadata', report);
    refuseAnnotations(metadata, 'spec.template.metadata', report);
  }
  return report.causes;
}

/** Things that are accepted and should still be told, for the `Warning` header. */
export function virtualMachineWarnings(vm: VirtualMachine): string[] {
  return vm.spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.'];
}

/** What must stay as it is while a copy of the machine is being made or put back. */
function validateChange({ spec }: VirtualMachine, old: VirtualMachine, report: Report): void {
  const { snapshotInProgress, restoreInProgress } = old.status ?? {};
  const before = old.spec;
  const running = spec.running !== before.running ? 'spec.running' : 'spec.runStrategy';
  const runChanged = spec.running !== before.running || spec.runStrategy !== before.runStrategy;
  if (restoreInProgress && runChanged) {
    report.notSupported(running, `cannot be changed until restore "${restoreInProgress}" completes`);
  }
  if (!snapshotInProgress) return;
  const until = `cannot be changed until snapshot "${snapshotInProgress}" completes`;
  const [now, then] = [spec.template?.spec, before.template?.spec];
  if (spec.running !== before.running) report.notSupported('spec.running', until);
  if (!sameJson(now?.volumes, then?.volumes)) report.notSupported('spec.template.spec.volumes', until);
  if (!sameJson(now?.domain.devices.disks, then?.domain.devices.disks)) {
    report.notSupported('spec.template.spec.domain.devices.disks', until);
  }
}

function validateRunStrategy({ spec }: VirtualMachine, report: Report): void {
  if (spec.running !== undefined && spec.runStrategy !== undefined) {
    report.invalid(
      'spec.running',
      'and spec.runStrategy are mutually exclusive; remove one, spec.running is deprecated',
    );
  }
  if (spec.running === undefined && spec.runStrategy === undefined) {
    report.required('spec.running', 'and spec.runStrategy are both missing: RunStrategy must be specified');
  }
  const { runStrategy } = spec;
  if (runStrategy === undefined) return;
  if (!(RUN_STRATEGIES as readonly string[]).includes(runStrategy)) {
    report.invalid('spec.runStrategy', `is "${runStrategy}"; choose ${list(SUPPORTED_RUN_STRATEGIES)}`);
  } else if (!SUPPORTED_RUN_STRATEGIES.includes(runStrategy)) {
    report.notSupported(
      'spec.runStrategy',
      `is "${runStrategy}", which is not supported by this version; choose ${list(SUPPORTED_RUN_STRATEGIES)}`,
    );
  }
}
