const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`);
const MAC = /^[0-9A-Fa-f]{2}(([:-])[0-9A-Fa-f]{2})(\2[0-9A-Fa-f]{2}){4}$/;
const HEXTET = /^[0-9A-Fa-f]{1,4}$/;

/** The narrowest network that still has a gateway and a guest besides its own and the broadcast address. */
const LONGEST_PREFIX = 30;

export function isIPv4(text: string): boolean {
  return IPV4.test(text);
}

export function isIPv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1);
  const embedded = last !== undefined && isIPv4(last);
  const hextets = embedded ? groups.slice(0, -1) : groups;
  const length = hextets.length + (embedded ? 2 : 0);
  return hextets.every((group) => HEXTET.test(group)) && (halves.length === 2 ? length < 8 : length === 8);
}

export function isCidr4(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  return rest.length === 0 && isIPv4(address) && /^\d{1,2}$/.test(prefix) && Number(prefix) <= LONGEST_PREFIX;
}

export function isMac(text: string): boolean {
  return MAC.test(text);
}
