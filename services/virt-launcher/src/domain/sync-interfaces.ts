import { type InterfaceChange, interfaceChanges, parseDomainXml } from '@yagura/domain';
import type { Domain } from '@yagura/libvirt';
import { errorMessage, type Logger } from '@yagura/runtime';
import type { Lease } from '../dhcp/lease.ts';
import type { DomainAccess } from '../libvirt/domain-access.ts';
import { WrongStateError } from './errors.ts';
import { isActive } from './observer.ts';
import type { SyncRequest } from './sync.ts';

export type InterfaceRequest = Pick<SyncRequest, 'vmi' | 'options' | 'leases'>;

/** What keeps one interface from being as the spec has it. */
export interface InterfaceProblem {
  interface: string;
  message: string;
}

export interface InterfaceDependencies {
  access: DomainAccess;
  /** Name of the domain; empty while there is none. */
  name: string;
  log: Logger;
  serveDhcp: (leases: readonly Lease[]) => Promise<void>;
}

const DEVICE_TIMEOUT_MS = 15_000;

/** Plugs interfaces in and out and moves links until the domain is as the spec has it; what is so is left alone. */
export async function syncInterfaces(
  { vmi, options, leases }: InterfaceRequest,
  { access, name, log, serveDhcp }: InterfaceDependencies,
): Promise<InterfaceProblem[]> {
  const domain = name === '' ? undefined : await access.find(name);
  if (domain === undefined || !isActive(await domain.getState())) throw new WrongStateError('no domain is running');
  await serveDhcp(leases);
  const problems: InterfaceProblem[] = [];
  for (const change of interfaceChanges(await xmlOf(domain), vmi.spec, options)) {
    try {
      await apply(domain, change);
      log.info({ interface: change.name, change: change.kind }, 'changed an interface of the running domain');
    } catch (error) {
      log.warn(
        { interface: change.name, change: change.kind, error: errorMessage(error) },
        'cannot change an interface',
      );
      problems.push({ interface: change.name, message: errorMessage(error) });
    }
  }
  return problems;
}

async function apply(domain: Domain, { kind, name, xml }: InterfaceChange): Promise<void> {
  const options = { timeoutMs: DEVICE_TIMEOUT_MS };
  if (kind === 'attach') return domain.attachDevice(xml, ['live'], options);
  if (kind === 'update') return domain.updateDevice(xml, ['live'], options);
  // The device goes when the guest agrees; libvirt waits a few seconds for that, and tells no failure.
  await domain.detachDevice(xml, ['live'], options);
  if (parseDomainXml(await xmlOf(domain)).interfaces.some((nic) => nic.name === name)) {
    throw new Error(`the guest has not let go of interface ${name} yet`);
  }
}

async function xmlOf(domain: Domain): Promise<string> {
  return domain.getXMLDesc([], { timeoutMs: DEVICE_TIMEOUT_MS });
}
