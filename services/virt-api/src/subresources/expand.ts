import type { VirtualMachine } from '@yagura/api';
import { checkStructure } from '@yagura/api/validation';
import { readJsonObject } from '../http/body.ts';
import type { Reply, RequestContext } from '../http/router.ts';
import { badRequest, notFound, StatusError } from '../http/status.ts';
import { VirtualMachines, vmSubject } from './objects.ts';
import { absent, type ObjectClient } from './vm-calls.ts';
import { targetOf } from './vmi-request.ts';

/** GET virtualmachines/{name}/expand-spec: the VM with its instance type and preference worked in. */
export function expandSpecCall(client: Pick<ObjectClient, 'get'>) {
  return async (context: RequestContext): Promise<Reply> => {
    const vm = await client.get(VirtualMachines, targetOf(context), {}, context.signal).catch(absent);
    if (vm === undefined) throw notFound(vmSubject(targetOf(context).name));
    return { status: 200, body: expanded(vm as VirtualMachine) };
  };
}

/** PUT expand-vm-spec: the same of a VM that need not exist, sent as the body. */
export async function expandVmSpecCall(context: RequestContext): Promise<Reply> {
  const vm = await readJsonObject(context.request);
  if (Object.keys(vm).length === 0)
    throw badRequest('Request with no body: a new VirtualMachine is expected as the request body');
  const causes = checkStructure('VirtualMachine', vm);
  if (causes.length > 0) throw new StatusError(400, 'Object is not a valid VirtualMachine', { causes });
  const { namespace } = (vm as unknown as VirtualMachine).metadata;
  const here = context.params['namespace'] ?? '';
  if (namespace && namespace !== here)
    throw badRequest(`VM namespace must be the same as the request namespace: ${namespace} is not ${here}`);
  return { status: 200, body: expanded(vm as unknown as VirtualMachine) };
}

/** Without an instance type a VM is its own expansion; there are none here that could be worked in. */
function expanded(vm: VirtualMachine): VirtualMachine {
  const { instancetype, preference } = vm.spec as { instancetype?: unknown; preference?: unknown };
  const asked = instancetype ? 'spec.instancetype' : preference ? 'spec.preference' : undefined;
  if (asked !== undefined)
    throw badRequest(`${asked} cannot be expanded: instance types and preferences are not supported`);
  return { ...vm, apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' };
}
