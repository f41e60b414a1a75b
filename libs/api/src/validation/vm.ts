import type { ClusterConfig } from '../config.ts';
import { withDefaultDevices } from '../defaults/devices.ts';
import type { VirtualMachine } from '../types.ts';
import { RUN_STRATEGIES } from '../words.ts';
import { type Cause, list, Report } from './report.ts';
import { refuseFields, SUPPORTED_RUN_STRATEGIES, UNSUPPORTED_VM_FIELDS } from './unsupported.ts';
import { validateSpec } from './vmi.ts';

/** Everything that is wrong with a virtual machine; empty when it may be stored. It must be structurally valid already. */
export function validateVirtualMachine(vm: VirtualMachine, config: ClusterConfig): Cause[] {
  const report = new Report();
  validateRunStrategy(vm, report);
  refuseFields(vm.spec, UNSUPPORTED_VM_FIELDS, 'spec', report);
  const { template } = vm.spec;
  if (!template) {
    report.required('spec.template', 'is missing');
  } else {
    // A volume without a disk gets one at each start, and so does a guest without a network.
    validateSpec(withDefaultDevices(template.spec, config), config, 'spec.template.spec', report);
  }
  return report.causes;
}

/** Things that are accepted and should still be told, for the `Warning` header. */
export function virtualMachineWarnings(vm: VirtualMachine): string[] {
  return vm.spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.'];
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
