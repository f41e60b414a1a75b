import { UsageError } from './errors.ts';

export interface Forward {
  protocol: 'tcp' | 'udp';
  /** Port here; 0: any that is free. */
  local: number;
  /** Port of the guest. */
  remote: number;
}

/** `[PROTOCOL/]LOCAL[:PORT]`, as `8080:80` and `udp/5353:53`; one number is both. */
export function parseForward(text: string): Forward {
  const [, protocol = 'tcp', local = '', remote = local] = /^(?:(\w+)\/)?(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (local === '') throw new UsageError(`"${text}" is not [PROTOCOL/]LOCAL[:PORT]`);
  if (protocol !== 'tcp' && protocol !== 'udp')
    throw new UsageError(`protocol "${protocol}" is unknown: choose tcp, udp`);
  const forward = { protocol, local: parsePort(local), remote: parsePort(remote) } as const;
  if (forward.remote === 0) throw new UsageError(`"${text}" names no port of the guest`);
  return forward;
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`"${text}" is not a port number`);
  return port;
}
