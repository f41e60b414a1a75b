import { MEMORY_BLOCK } from '@yagura/api';
import { childElements, descendant, type Element, element, textElement } from './xml/element.ts';
import { readXml } from './xml/read.ts';
import { writeXml } from './xml/write.ts';

/** The device through which a domain is given memory while it runs; undefined before it was first given any. */
export function memoryDevice(domain: Element): Element | undefined {
  const devices = childElements(descendant(domain, 'devices'), 'memory');
  return devices.find(({ attributes }) => attributes['model'] === 'virtio-mem');
}

/**
 * The device that gives a running domain `bytes` beyond what it was started with: a new one that has room for `roomBytes`,
 * or the one that it has, with nothing changed but what is requested of it.
 * @param domainXml as libvirt tells it of the running domain
 */
export function plugMemoryXml(
  domainXml: string,
  bytes: bigint,
  roomBytes: bigint,
): { kind: 'attach' | 'update'; xml: string } {
  const known = memoryDevice(readXml(domainXml));
  const device = known === undefined ? newDevice(bytes, roomBytes) : withRequested(known, bytes);
  return { kind: known === undefined ? 'attach' : 'update', xml: writeXml(device) };
}

function newDevice(bytes: bigint, roomBytes: bigint): Element {
  return element('memory', { model: 'virtio-mem' }, [
    element('target', {}, [
      element('size', { unit: 'b' }, [String(roomBytes)]),
      textElement('node', 0),
      element('block', { unit: 'b' }, [String(MEMORY_BLOCK)]),
      requested(bytes),
    ]),
  ]);
}

function withRequested(device: Element, bytes: bigint): Element {
  return edit(device, 'target', (target) => edit(target, 'requested', () => requested(bytes)));
}

function requested(bytes: bigint): Element {
  return element('requested', { unit: 'b' }, [String(bytes)]);
}

function edit(parent: Element, name: string, change: (child: Element) => Element): Element {
  const children = parent.children.map((child) =>
    typeof child !== 'string' && child.name === name ? change(child) : child,
  );
  return { ...parent, children };
}
