const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_SUBDOMAIN = 253;

/** RFC 1123 label: what names disks, volumes and hosts. */
export function isDnsLabel(name: string): boolean {
  return LABEL.test(name);
}

export function isDnsSubdomain(name: string): boolean {
  return name.length <= MAX_SUBDOMAIN && name.split('.').every(isDnsLabel);
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
