import { isHotpluggable, LAUNCHER_DIRECTORIES, type VirtualMachineInstance } from '@yagura/api';
import { type LiveDisk, parseDomainXml, pluggedDiskXml, unpluggedDiskXml } from '@yagura/domain';
import type { Domain } from '@yagura/libvirt';
import { errorMessage, type Logger } from '@yagura/runtime';
import { type DiskRequest, prepareDisks } from '../disks/prepare.ts';
import type { DomainAccess } from '../libvirt/domain-access.ts';
import type { Paths } from '../paths.ts';
import { WrongStateError } from './errors.ts';
import { isActive } from './observer.ts';

export interface PlugRequest {
  vmi: VirtualMachineInstance;
  volumes: Pick<DiskRequest, 'claims' | 'hotplug' | 'rules'>;
}

/** What keeps one volume from being plugged in or out. */
export interface PlugProblem {
  volume: string;
  message: string;
}

export interface PlugDependencies {
  access: DomainAccess;
  /** Name of the domain; empty while there is none. */
  name: string;
  paths: Paths;
  log: Logger;
}

/** QEMU opens the image before it answers, which storage may make slow. */
const DEVICE_TIMEOUT_MS = 15_000;

/** Plugs disks in and out until the domain has those of the spec; what is as it should be is left alone. */
export async function syncVolumes(request: PlugRequest, deps: PlugDependencies): Promise<PlugProblem[]> {
  const domain = deps.name === '' ? undefined : await deps.access.find(deps.name);
  if (domain === undefined || !isActive(await domain.getState())) throw new WrongStateError('no domain is running');
  const problems: PlugProblem[] = [];
  const attempt = async (volume: string, step: () => Promise<void>) => {
    try {
      await step();
    } catch (error) {
      deps.log.warn({ volume, error: errorMessage(error) }, 'a disk cannot be plugged');
      problems.push({ volume, message: errorMessage(error) });
    }
  };
  const { removed, added } = difference(request.vmi, await disksOf(domain), request.volumes.hotplug);
  for (const disk of removed) await attempt(disk.name ?? '', async () => unplug(domain, disk));
  for (const name of added) await attempt(name, async () => plug(domain, name, request, deps.paths));
  return problems;
}

/** Only disks from the directory of plugged claims are ever taken out: the others belong to the machine. */
export function difference(
  vmi: VirtualMachineInstance,
  live: readonly LiveDisk[],
  mounted: ReadonlyMap<string, string>,
): { removed: LiveDisk[]; added: string[] } {
  const volumes = (vmi.spec.volumes ?? []).filter((volume) => isHotpluggable(volume));
  const shown = new Set((vmi.spec.domain.devices.disks ?? []).map(({ name }) => name));
  const wanted = volumes.map(({ name }) => name).filter((name) => shown.has(name));
  const has = (name: string) => live.some((disk) => disk.name === name && disk.source !== undefined);
  return {
    removed: live.filter(({ name, source }) => name && isPlugged(source) && !wanted.includes(name)),
    added: wanted.filter((name) => mounted.has(name) && !has(name)),
  };
}

function isPlugged(source: string | undefined): boolean {
  return source?.includes(`${LAUNCHER_DIRECTORIES.hotplugDisks}/`) === true;
}

async function disksOf(domain: Domain): Promise<readonly LiveDisk[]> {
  return parseDomainXml(await domain.getXMLDesc([], { timeoutMs: DEVICE_TIMEOUT_MS })).disks;
}

async function plug(domain: Domain, name: string, { vmi, volumes }: PlugRequest, paths: Paths): Promise<void> {
  const own = { ...vmi, spec: { ...vmi.spec, volumes: (vmi.spec.volumes ?? []).filter((one) => one.name === name) } };
  const source = (await prepareDisks({ vmi: own, containerDisks: new Map(), ...volumes }, paths)).get(name);
  if (source === undefined) return;
  const xml = pluggedDiskXml(vmi.spec, name, source, await disksOf(domain));
  await domain.attachDevice(xml, ['live'], { timeoutMs: DEVICE_TIMEOUT_MS });
}

/** A disk on the PCI bus goes when the guest agrees; libvirt waits a few seconds for that, and tells no failure. */
async function unplug(domain: Domain, disk: LiveDisk): Promise<void> {
  await domain.detachDevice(unpluggedDiskXml(disk), ['live'], { timeoutMs: DEVICE_TIMEOUT_MS });
  if ((await disksOf(domain)).some(({ target }) => target === disk.target)) {
    throw new Error(`the guest has not let go of the disk ${disk.target} yet`);
  }
}
