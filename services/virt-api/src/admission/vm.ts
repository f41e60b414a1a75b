import { type DefaultsSource, defaultVirtualMachine, jsonPatch, type VirtualMachine } from '@yagura/api';
import { checkStructure, validateVirtualMachine, virtualMachineWarnings } from '@yagura/api/validation';
import type { AdmissionRequest, Verdict, Webhook } from './review.ts';
import type { WebhookContext } from './webhooks.ts';

/**
 * Fixes on the VM what must stay the same from start to start: machine type, architecture, the identity the guest sees.
 * A structurally wrong object passes as it is: the API server checks it next, and names the field.
 */
export function mutateVm(context: WebhookContext, source: Pick<DefaultsSource, 'uuid'>): Webhook {
  return (request) => {
    const vm = request.object as VirtualMachine;
    if (checkStructure('VirtualMachine', vm).length > 0) return { allowed: true };
    const old = request.operation === 'UPDATE' ? (request.oldObject as VirtualMachine) : undefined;
    return { allowed: true, patch: jsonPatch(vm, defaultVirtualMachine(vm, context.config(), source, old)) };
  };
}

export function validateVm(context: WebhookContext): Webhook {
  return (request: AdmissionRequest): Verdict => {
    const vm = request.object as VirtualMachine;
    const old = request.operation === 'UPDATE' ? (request.oldObject as VirtualMachine) : undefined;
    const structural = checkStructure('VirtualMachine', vm);
    const causes = structural.length > 0 ? structural : validateVirtualMachine(vm, context.config(), old);
    if (causes.length > 0) return { allowed: false, causes };
    if (request.operation === 'CREATE' && !request.dryRun) context.onVmCreated?.(request.namespace ?? '');
    return { allowed: true, warnings: virtualMachineWarnings(vm) };
  };
}
