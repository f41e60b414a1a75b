import {
  type DefaultsSource,
  defaultVirtualMachineInstance,
  jsonPatch,
  productUsers,
  type VirtualMachineInstance,
  withStatusOf,
} from '@yagura/api';
import { checkStructure, validateVirtualMachineInstance } from '@yagura/api/validation';
import type { AdmissionRequest, Verdict, Webhook } from './review.ts';
import type { WebhookContext } from './webhooks.ts';

/**
 * Completes a new instance; on an update puts the old status back, as there is no status subresource that would keep
 * users from writing it. The webhook configuration spares the product's own accounts this call; here they are spared too.
 */
export function mutateVmi(context: WebhookContext, source: DefaultsSource): Webhook {
  return (request) => {
    const vmi = request.object as VirtualMachineInstance;
    if (request.operation === 'UPDATE') {
      if (byProduct(request, context)) return { allowed: true };
      return { allowed: true, patch: jsonPatch(vmi, withStatusOf(vmi, request.oldObject as VirtualMachineInstance)) };
    }
    if (checkStructure('VirtualMachineInstance', vmi).length > 0) return { allowed: true };
    return { allowed: true, patch: jsonPatch(vmi, defaultVirtualMachineInstance(vmi, context.config(), source)) };
  };
}

export function validateVmiCreate(context: WebhookContext): Webhook {
  return (request) =>
    verdict(request.object as VirtualMachineInstance, context, {
      operation: 'CREATE',
      byProduct: byProduct(request, context),
    });
}

export function validateVmiUpdate(context: WebhookContext): Webhook {
  return (request) =>
    verdict(request.object as VirtualMachineInstance, context, {
      operation: 'UPDATE',
      old: request.oldObject as VirtualMachineInstance,
      byProduct: byProduct(request, context),
    });
}

function verdict(
  vmi: VirtualMachineInstance,
  context: WebhookContext,
  admission: Parameters<typeof validateVirtualMachineInstance>[2],
): Verdict {
  const structural = checkStructure('VirtualMachineInstance', vmi);
  const causes = structural.length > 0 ? structural : validateVirtualMachineInstance(vmi, context.config(), admission);
  return causes.length > 0 ? { allowed: false, causes } : { allowed: true };
}

function byProduct(request: AdmissionRequest, { namespace }: WebhookContext): boolean {
  return productUsers(namespace).includes(request.userInfo.username ?? '');
}
