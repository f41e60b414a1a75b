import type { JsonValue, Sample } from '@yagura/layers';
import { findLink, isUp, type Link } from '../network/links.ts';

/** What is built for an interface of the spec. */
export interface Devices {
  name: string;
  tap: string;
  bridge: string;
}

/** What came of looking at the pod's network devices. */
export type Look = { links: readonly Link[]; at: Date } | { error: string };

/** For each interface its tap, whose other end QEMU has, and its bridge: whether it is there and up, and its counters. */
export function deviceSamples(devices: readonly Devices[], look: Look): Sample[] {
  return devices.flatMap(({ name, tap, bridge }) =>
    (
      [
        ['tap', tap],
        ['bridge', bridge],
      ] as const
    ).map(([kind, device]): Sample => {
      const base = { layer: 'network', field: `${name}.${kind}`, source: "the pod's network", maxAge: 10 } as const;
      if ('error' in look) return { ...base, state: 'failing', error: look.error };
      return { ...base, value: stateOf(device, findLink(look.links, device)), observedAt: look.at, state: 'answering' };
    }),
  );
}

function stateOf(device: string, link: Link | undefined): JsonValue {
  if (link === undefined) return `${device} is missing`;
  const { rx, tx } = link.stats64 ?? {};
  return {
    device,
    up: isUp(link),
    carrier: link.flags?.includes('LOWER_UP') ?? false,
    ...(rx === undefined ? {} : { rxBytes: rx.bytes, rxErrors: rx.errors, rxDropped: rx.dropped }),
    ...(tx === undefined ? {} : { txBytes: tx.bytes, txErrors: tx.errors, txDropped: tx.dropped }),
  };
}
