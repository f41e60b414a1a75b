/** User aliases are libvirt's only names that survive a restart of the domain; it demands this prefix. */
const USER_ALIAS = 'ua-';

/** libvirt's name of the domain of an instance. */
export function domainName(namespace: string, name: string): string {
  return `${namespace}_${name}`;
}

/** A namespace holds no underscore, so the first one separates. */
export function parseDomainName(name: string): { namespace: string; name: string } | undefined {
  const at = name.indexOf('_');
  return at < 1 ? undefined : { namespace: name.slice(0, at), name: name.slice(at + 1) };
}

export function userAlias(specName: string): string {
  return `${USER_ALIAS}${specName}`;
}

/** The name in the spec that an alias stands for; undefined for libvirt's own aliases. */
export function nameOfAlias(alias: string | undefined): string | undefined {
  return alias?.startsWith(USER_ALIAS) ? alias.slice(USER_ALIAS.length) : undefined;
}

/** Letters behind "vd" or "sd": a…z, aa, ab… */
export function diskLetters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : `${diskLetters(Math.floor(index / 26) - 1)}${last}`;
}
