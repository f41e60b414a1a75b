import type { LeafSpec } from './read.ts';

export const CA_NAME = 'kubevirt-ca';
export const CA_BUNDLE_KEY = 'ca-bundle';
/** What virt-handler's REST server calls itself, and what it accepts as a client. */
export const HANDLER_SERVER = 'kubevirt.io:system:node:virt-handler';
export const HANDLER_CLIENT = 'kubevirt.io:system:client:virt-handler';

/** The certificates of the product by the Secret that holds them. */
export function leavesOf(namespace: string): Readonly<Record<string, LeafSpec>> {
  const service = (name: string): LeafSpec => ({
    commonName: `${name}.${namespace}.svc`,
    dnsNames: [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`],
    usage: 'server',
  });
  return {
    'kubevirt-virt-api-certs': service('virt-api'),
    'kubevirt-controller-certs': service('virt-controller'),
    'kubevirt-virt-handler-server-certs': { commonName: HANDLER_SERVER, dnsNames: [HANDLER_SERVER], usage: 'both' },
    'kubevirt-virt-handler-certs': { commonName: HANDLER_CLIENT, dnsNames: [HANDLER_CLIENT], usage: 'client' },
  };
}
