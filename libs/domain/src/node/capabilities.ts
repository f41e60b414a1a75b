import type { CpuCapabilities } from '@yagura/api';
import { childElements, descendant, type Element, textOf } from '../xml/element.ts';
import { readXml } from '../xml/read.ts';

/** Machine types of x86-64 in what virConnectGetCapabilities answers, aliases included. Throws XmlError. */
export function parseMachineTypes(capabilities: string): string[] {
  const guests = childElements(readXml(capabilities), 'guest').map((guest) => descendant(guest, 'arch'));
  const arch = guests.find((candidate) => candidate?.attributes['name'] === 'x86_64');
  const machines = childElements(arch, 'machine').flatMap((machine) => textOf(machine) ?? []);
  return [...new Set(machines)].sort();
}

/**
 * CPUs that a guest can have, from what virConnectGetDomainCapabilities answers, and the features of the best of them,
 * from what virConnectBaselineHypervisorCPU makes of that with all features written out. Throws XmlError.
 */
export function parseCpuCapabilities(domainCapabilities: string, baseline: string): CpuCapabilities {
  const cpu = descendant(readXml(domainCapabilities), 'cpu');
  const custom = modeOf(cpu, 'custom');
  const host = modeOf(cpu, 'host-model');
  const hostModel = textOf(descendant(host, 'model'));
  const vendor = textOf(descendant(host, 'vendor'));
  const features = childElements(readXml(baseline), 'feature').filter(
    ({ attributes }) => (attributes['policy'] ?? 'require') === 'require',
  );
  return {
    models: childElements(custom, 'model')
      .filter(({ attributes }) => attributes['usable'] === 'yes')
      .flatMap((model) => textOf(model) ?? [])
      .sort(),
    ...(hostModel ? { hostModel } : {}),
    ...(vendor ? { vendor } : {}),
    features: features.flatMap(({ attributes }) => attributes['name'] ?? []).sort(),
  };
}

function modeOf(cpu: Element | undefined, name: string): Element | undefined {
  return childElements(cpu, 'mode').find(
    ({ attributes }) => attributes['name'] === name && attributes['supported'] === 'yes',
  );
}
