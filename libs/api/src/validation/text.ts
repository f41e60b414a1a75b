import type { VirtualMachineInstanceSpec } from '../types.ts';
import type { Report } from './report.ts';

/** What XML cannot carry: control characters, halves of surrogate pairs, the two non-characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;

/** Text of the machine becomes libvirt's XML, in which not every character has a place. */
export function validateText(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  walk(spec.domain, `${at}.domain`, report);
}

function walk(value: unknown, field: string, report: Report): void {
  if (typeof value === 'string') {
    if (UNWRITABLE.test(value)) report.invalid(field, 'has a character that is not text, such as a control character');
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      walk(item, `${field}[${index}]`, report);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) walk(member, `${field}.${name}`, report);
  }
}
