import { kubectl, productNamespace } from './cluster.ts';

/** Lets volumes be images on the node; stays on. */
export async function enableHostDisk(): Promise<void> {
  const path = 'jsonpath={.spec.configuration.developerConfiguration.featureGates}';
  const gates = await kubectl('-n', productNamespace, 'get', 'kubevirt', 'kubevirt', '-o', path);
  if (gates.includes('"HostDisk"')) return;
  const featureGates = [...(gates === '' ? [] : (JSON.parse(gates) as string[])), 'HostDisk'];
  const patch = { spec: { configuration: { developerConfiguration: { featureGates } } } };
  await kubectl('-n', productNamespace, 'patch', 'kubevirt', 'kubevirt', '--type=merge', '-p', JSON.stringify(patch));
}
