import { cpuTopology } from '@yagura/api';
import { type InterfaceOptions, interfaceModels, linkState, wantedInterfaces } from './convert/interfaces.ts';
import { nameOfAlias } from './names.ts';
import type { VmiSpec } from './vmi.ts';
import { interfaceElement } from './write/interfaces.ts';
import { childElements, descendant, type Element, element } from './xml/element.ts';
import { readXml } from './xml/read.ts';
import { writeXml } from './xml/write.ts';

export interface InterfaceChange {
  /** Interface in the spec. */
  name: string;
  kind: 'attach' | 'detach' | 'update';
  /** The device, as libvirt takes it for that. */
  xml: string;
}

/**
 * What has to be done to a running domain until it has the interfaces of the spec: those with a tap device are plugged
 * in, absent ones are plugged out, and links go up or down. Interfaces that the spec does not name are left alone.
 * @param domainXml as libvirt tells it of the running domain
 */
export function interfaceChanges(domainXml: string, spec: VmiSpec, options: InterfaceOptions): InterfaceChange[] {
  const live = new Map(
    childElements(descendant(readXml(domainXml), 'devices'), 'interface').map((nic) => [nameOf(nic), nic]),
  );
  const absent = (spec.domain.devices?.interfaces ?? []).filter(({ state }) => state === 'absent');
  return [
    ...absent.flatMap(({ name }) => change('detach', name, live.get(name))),
    ...wantedInterfaces(spec).flatMap(({ nic }) => {
      const there = live.get(nic.name);
      const wanted = linkState(nic);
      return there && linkOf(there) !== wanted ? change('update', nic.name, withLink(there, wanted)) : [];
    }),
    ...attached(spec, options, new Set(live.keys())),
  ];
}

function attached(spec: VmiSpec, options: InterfaceOptions, live: ReadonlySet<string | undefined>): InterfaceChange[] {
  const { sockets, cores, threads } = cpuTopology(spec);
  const taps = new Set(options.interfaces.map(({ name }) => name));
  const devices = spec.domain.devices;
  const interfaces = (devices.interfaces ?? []).filter(({ name }) => taps.has(name) && !live.has(name));
  const plugged = { ...spec, domain: { ...spec.domain, devices: { ...devices, interfaces } } };
  const virtio = devices.useVirtioTransitional ? 'virtio-transitional' : 'virtio-non-transitional';
  return interfaceModels(plugged, sockets * cores * threads, virtio, options).flatMap((model) =>
    change('attach', model.name, interfaceElement(model)),
  );
}

function change(kind: InterfaceChange['kind'], name: string, nic: Element | undefined): InterfaceChange[] {
  return nic === undefined ? [] : [{ name, kind, xml: writeXml(nic) }];
}

function nameOf(nic: Element): string | undefined {
  return nameOfAlias(descendant(nic, 'alias')?.attributes['name']);
}

function linkOf(nic: Element): 'up' | 'down' {
  return descendant(nic, 'link')?.attributes['state'] === 'down' ? 'down' : 'up';
}

/** libvirt wants the whole device, with nothing changed but what may be. */
function withLink(nic: Element, state: 'up' | 'down'): Element {
  const others = nic.children.filter((child) => typeof child === 'string' || child.name !== 'link');
  return { ...nic, children: [...others, element('link', { state })] };
}
