import type { InterfaceModel } from '../model.ts';
import { userAlias } from '../names.ts';
import { type Element, element } from '../xml/element.ts';

/** A NIC on a tap device that somebody else made and keeps. */
export function interfaceElement(nic: InterfaceModel): Element {
  return element('interface', { type: 'ethernet' }, [
    nic.macAddress === undefined ? undefined : element('mac', { address: nic.macAddress }),
    element('target', { dev: nic.tapDevice, managed: 'no' }),
    element('model', { type: nic.model }),
    nic.queues === undefined ? undefined : element('driver', { name: nic.driver, queues: nic.queues }),
    nic.linkState === 'down' ? element('link', { state: 'down' }) : undefined,
    nic.mtu === undefined ? undefined : element('mtu', { size: nic.mtu }),
    nic.bootOrder === undefined ? undefined : element('boot', { order: nic.bootOrder }),
    nic.acpiIndex === undefined ? undefined : element('acpi', { index: nic.acpiIndex }),
    // A NIC that is not booted from needs no boot ROM, which costs start time.
    nic.bootOrder === undefined ? element('rom', { enabled: 'no' }) : undefined,
    nic.pciAddress && element('address', { type: 'pci', ...nic.pciAddress }),
    element('alias', { name: userAlias(nic.name) }),
  ]);
}
