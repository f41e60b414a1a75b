import type { IncomingMessage } from 'node:http';

/** How the API server's front proxy identifies itself and its user; ConfigMap kube-system/extension-apiserver-authentication. */
export interface RequestHeaderConfig {
  /** PEM bundle that signs front-proxy client certificates. */
  clientCa: string;
  /** Common names that may act as front proxy; empty: any that the CA signed. */
  allowedNames: readonly string[];
  usernameHeaders: readonly string[];
  groupHeaders: readonly string[];
  extraHeaderPrefixes: readonly string[];
  uidHeaders: readonly string[];
}

/** Who asks, as the API server authenticated them. */
export interface User {
  username: string;
  uid?: string;
  groups: readonly string[];
  extra: Readonly<Record<string, readonly string[]>>;
}

/** The TLS peer as Node verified it. */
export interface Peer {
  /** The certificate chains to `clientCa`. */
  authorized: boolean;
  commonName: string | undefined;
}

/** Undefined when the cluster has no aggregation layer configured. */
export function parseRequestHeaderConfig(data: Readonly<Record<string, string>>): RequestHeaderConfig | undefined {
  const clientCa = data['requestheader-client-ca-file'];
  if (!clientCa) return undefined;
  const list = (key: string, fallback: string[] = []): string[] => {
    const text = data[`requestheader-${key}`];
    if (!text) return fallback;
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : fallback;
  };
  return {
    clientCa,
    allowedNames: list('allowed-names'),
    usernameHeaders: list('username-headers', ['X-Remote-User']),
    groupHeaders: list('group-headers', ['X-Remote-Group']),
    extraHeaderPrefixes: list('extra-headers-prefix', ['X-Remote-Extra-']),
    uidHeaders: list('uid-headers', ['X-Remote-Uid']),
  };
}

export type Authentication = { ok: true; user: User } | { ok: false; why: string };

/** The user that a front proxy speaks for. Headers of anybody else are worth nothing. */
export function authenticate(
  headers: IncomingMessage['headersDistinct'],
  peer: Peer,
  config: RequestHeaderConfig | undefined,
): Authentication {
  if (config === undefined)
    return { ok: false, why: 'the cluster names no front-proxy CA (extension-apiserver-authentication)' };
  if (!peer.authorized) return { ok: false, why: 'no client certificate of the API server' };
  if (config.allowedNames.length > 0 && !config.allowedNames.includes(peer.commonName ?? ''))
    return { ok: false, why: `client certificate "${peer.commonName ?? ''}" is not one of the front proxy's names` };
  const first = (names: readonly string[]): string | undefined =>
    names.flatMap((name) => headers[name.toLowerCase()] ?? []).find((value) => value !== '');
  const username = first(config.usernameHeaders);
  if (username === undefined)
    return { ok: false, why: `none of the headers ${config.usernameHeaders.join(', ')} is set` };
  const uid = first(config.uidHeaders);
  return {
    ok: true,
    user: {
      username,
      ...(uid === undefined ? {} : { uid }),
      groups: config.groupHeaders.flatMap((name) => headers[name.toLowerCase()] ?? []),
      extra: extraOf(headers, config.extraHeaderPrefixes),
    },
  };
}

function extraOf(headers: IncomingMessage['headersDistinct'], prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(headers)) {
    const prefix = prefixes.find((candidate) => name.startsWith(candidate.toLowerCase()));
    if (prefix === undefined || values === undefined) continue;
    const key = unescapeKey(name.slice(prefix.length));
    extra[key] = [...(extra[key] ?? []), ...values];
  }
  return extra;
}

/** Keys of extra values are percent-encoded where a header name could not hold them. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
