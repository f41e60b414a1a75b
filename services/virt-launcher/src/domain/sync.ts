import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentCredential, agentCredentials, type VirtualMachineInstance } from '@yagura/api';
import { buildDomainXml, type ConversionOptions, convert, domainName } from '@yagura/domain';
import { type Connection, type Domain, isLibvirtError } from '@yagura/libvirt';
import type { Logger } from '@yagura/runtime';
import type { Lease } from '../dhcp/lease.ts';
import { type DiskRequest, prepareDisks } from '../disks/prepare.ts';
import { type DomainAccess, ownerOf } from '../libvirt/domain-access.ts';
import type { LibvirtLink } from '../libvirt/link.ts';
import type { Paths } from '../paths.ts';
import { OtherInstanceError, WrongStateError } from './errors.ts';
import { isActive } from './observer.ts';
import type { RunRecordFile } from './run-record.ts';

/** A domain that libvirt could not bring up; what was there before is unchanged. */
export class StartError extends Error {
  override name = 'StartError';
}

export interface SyncRequest {
  vmi: VirtualMachineInstance;
  options: Omit<ConversionOptions, 'disks' | 'privateDirectory'>;
  containerDisks: ReadonlyMap<string, string>;
  volumes: Pick<DiskRequest, 'claims' | 'hotplug' | 'rules'>;
  leases: readonly Lease[];
}

export interface SyncDependencies {
  link: LibvirtLink;
  access: DomainAccess;
  record: RunRecordFile;
  paths: Paths;
  log: Logger;
  serveDhcp: (leases: readonly Lease[]) => Promise<void>;
  keepCredentials: (credentials: readonly AgentCredential[]) => Promise<void>;
  /** The pod was told to end: nothing is started any more. */
  stopping: () => boolean;
}

const CONNECT_TIMEOUT_MS = 8_000;
/** QEMU may first have to be probed for what it can do. */
const START_TIMEOUT_MS = 60_000;

/**
 * Makes the domain be there. Each step finds what an earlier try left behind: images stay, a defined domain is defined
 * anew, a running one is left alone.
 */
export async function syncDomain(request: SyncRequest, deps: SyncDependencies): Promise<void> {
  const { vmi } = request;
  const { record } = deps;
  const { uid = '', namespace = '', name } = vmi.metadata;
  if (record.record !== undefined && record.record.uid !== uid) {
    throw new OtherInstanceError(`this launcher belongs to instance ${record.record.uid}, not to ${uid}`);
  }
  if (record.record?.end !== undefined) throw new WrongStateError(`the domain has ended: ${record.record.end.message}`);
  const [connection] = await Promise.all([
    deps.link.whenConnected(CONNECT_TIMEOUT_MS),
    deps.serveDhcp(request.leases),
    deps.keepCredentials(agentCredentials(vmi.spec)),
  ]);
  const existing = await existingDomain(connection, domainName(namespace, name), uid, deps.access);
  if (existing !== undefined && isActive(await existing.getState())) {
    record.begin(uid, existing.name);
    return;
  }
  if (deps.stopping()) throw new WrongStateError('the pod is ending: no domain is started any more');
  const began = performance.now();
  const disks = await prepareDisks({ vmi, containerDisks: request.containerDisks, ...request.volumes }, deps.paths);
  const model = convert(vmi, { ...request.options, disks, privateDirectory: deps.paths.privateDirectory });
  await mkdir(join(deps.paths.privateDirectory, uid), { recursive: true });
  // The record comes first: a launcher that dies behind the next line must know whose domain it finds.
  record.begin(uid, model.name);
  const paused = vmi.spec.startStrategy === 'Paused';
  record.note({ pauseRequested: paused });
  const prepared = performance.now();
  await start(connection, buildDomainXml(model), paused, deps);
  const times = { disksMs: Math.round(prepared - began), startMs: Math.round(performance.now() - prepared) };
  deps.log.info({ domain: model.name, ...times }, 'started the domain');
}

async function start(connection: Connection, xml: string, paused: boolean, deps: SyncDependencies): Promise<void> {
  const { record, access, log } = deps;
  log.debug({ xml }, 'defining the domain');
  try {
    (await connection.defineXML(xml)).close();
    const domain = await access.find(record.record?.name ?? '');
    await domain?.create(paused ? ['paused'] : [], { timeoutMs: START_TIMEOUT_MS });
  } catch (error) {
    if (isLibvirtError(error, 'OPERATION_INVALID') && /already running/.test(error.message)) return;
    throw new StartError(`libvirt could not start the domain: ${(error as Error).message}`, { cause: error });
  }
  record.note({ startedAt: new Date().toISOString() });
}

/** The domain of this name when it is this instance's; throws when any other domain is there. */
async function existingDomain(
  connection: Connection,
  name: string,
  uid: string,
  access: DomainAccess,
): Promise<Domain | undefined> {
  for (const domain of await connection.listAllDomains()) {
    try {
      const owner = await ownerOf(domain);
      if (domain.name !== name || (owner !== undefined && owner !== uid)) {
        throw new OtherInstanceError(`domain "${domain.name}" of instance ${owner ?? 'unknown'} is here already`);
      }
    } finally {
      domain.close();
    }
  }
  return access.find(name);
}
