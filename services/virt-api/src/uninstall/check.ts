import { defineResource, isNotFound, type KubeClient } from '@yagura/kube';
import { VirtualMachineInstances } from '../subresources/objects.ts';

export const KubeVirts = defineResource('kubevirt.io/v1', 'KubeVirt', 'kubevirts');
export const FORCE_ANNOTATION = 'yagura.kubevirt.io/force-uninstall';
const MAX_LISTED = 50;

/** Exit code of `helm uninstall`'s first hook: 1 while virtual machine instances exist, unless forced. Lists them. */
export async function uninstallCheck(
  client: Pick<KubeClient, 'get' | 'listAll' | 'access'>,
  print: (line: string) => void,
  namespace = process.env['POD_NAMESPACE'] ?? client.access.namespace,
): Promise<0 | 1> {
  const { items } = await client.listAll(VirtualMachineInstances).catch((error: unknown) => {
    // Without the CRD there is nothing that could run.
    if (isNotFound(error)) return { items: [] };
    throw error;
  });
  if (items.length === 0) return 0;
  const kubevirt = await client.get(KubeVirts, { namespace, name: 'kubevirt' }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const forced = kubevirt?.metadata?.annotations?.[FORCE_ANNOTATION] === 'true';
  const instances =
    items.length === 1 ? '1 virtual machine instance exists' : `${items.length} virtual machine instances exist`;
  print(
    forced ? `${instances}; the uninstallation is forced, so they go on unmanaged:` : `Not uninstalled: ${instances}.`,
  );
  for (const { metadata, status } of items.slice(0, MAX_LISTED))
    print(`  ${metadata?.namespace}/${metadata?.name}  ${status?.phase ?? ''}  ${status?.nodeName ?? ''}`.trimEnd());
  if (items.length > MAX_LISTED) print(`  (${MAX_LISTED} of ${items.length})`);
  if (forced) return 0;
  print('Stop them (delete their VirtualMachines, or set runStrategy: Halted), then uninstall again.');
  print(`To leave them running unmanaged: kubectl annotate kubevirt kubevirt -n ${namespace} ${FORCE_ANNOTATION}=true`);
  const release = `${process.env['RELEASE_NAME'] ?? 'yagura'} ${process.env['RELEASE_REVISION'] ?? 1}`;
  print(
    `Helm takes the release for half uninstalled now. To upgrade it again: helm rollback ${release} -n ${namespace}`,
  );
  return 1;
}
