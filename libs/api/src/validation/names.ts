const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_SUBDOMAIN = 253;

/** RFC 1123 label: what names disks, volumes and hosts. */
export function isDnsLabel(name: string): boolean {
  return LABEL.test(name);
}

export function isDnsSubdomain(name: string): boolean {
  return name.length <= MAX_SUBDOMAIN && name.split('.').every(isDnsLabel);
}

const QUALIFIED_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Key of a label, a taint or a resource: a name, which may have a domain before it. */
export function isLabelKey(key: string): boolean {
  const parts = key.split('/');
  const name = parts.pop() ?? '';
  return QUALIFIED_PART.test(name) && (parts.length === 0 || (parts.length === 1 && isDnsSubdomain(parts[0] ?? '')));
}

export function isLabelValue(value: string): boolean {
  return value === '' || QUALIFIED_PART.test(value);
}

const PCI_ADDRESS = /^[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$/i;

/** `domain:bus:slot.function` */
export function isPciAddress(text: string): boolean {
  return PCI_ADDRESS.test(text);
}

export const DNS_LABEL_RULE =
  'must be at most 63 lower case letters, digits and "-", and begin and end with a letter or digit';

/** Absolute, without `.`, `..` or a trailing slash, and not the root. */
export function isCleanAbsolutePath(path: string): boolean {
  return (
    path.startsWith('/') &&
    path.length > 1 &&
    path
      .slice(1)
      .split('/')
      .every((part) => !['', '.', '..'].includes(part))
  );
}
