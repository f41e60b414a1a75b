import { ConversionError } from '../errors.ts';
import type { PciAddress } from '../model.ts';

const PCI_ADDRESS = /^([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$/i;

/** An address as in 0000:81:01.0; undefined when none is given. */
export function pciAddress(text: string | undefined, field: string): PciAddress | undefined {
  if (!text) return undefined;
  const [, domain, bus, slot, fn] = PCI_ADDRESS.exec(text) ?? [];
  if (domain === undefined || bus === undefined || slot === undefined || fn === undefined) {
    throw new ConversionError(field, `is "${text}"; it must be like 0000:81:01.0`);
  }
  return { domain: `0x${domain}`, bus: `0x${bus}`, slot: `0x${slot}`, function: `0x${fn}` };
}
