import { type VirtualMachineInstance, vcpus } from '@yagura/api';
import { RpcError, Status } from '@yagura/contracts';
import { parseDomainXml } from '@yagura/domain';
import type { Logger } from '@yagura/runtime';
import type { DomainAccess } from '../libvirt/domain-access.ts';
import { WrongStateError } from './errors.ts';
import { isActive } from './observer.ts';

export interface CpuDependencies {
  access: DomainAccess;
  /** Name of the domain; empty while there is none. */
  name: string;
  log: Logger;
  /** Called with the number of CPUs before libvirt is asked for them. */
  beforePlug: (count: number) => void;
}

/** QEMU makes a thread for each, and under emulation its translated code is thrown away. */
const TIMEOUT_MS = 30_000;

/** Plugs virtual CPUs in until the running domain has those of the spec; one that has more is left alone. */
export async function syncCpus(
  { spec }: VirtualMachineInstance,
  { access, name, log, beforePlug }: CpuDependencies,
): Promise<void> {
  const domain = name === '' ? undefined : await access.find(name);
  if (domain === undefined || !isActive(await domain.getState())) throw new WrongStateError('no domain is running');
  const wanted = vcpus(spec);
  const { cpus } = parseDomainXml(await domain.getXMLDesc([], { timeoutMs: TIMEOUT_MS }));
  if (cpus === undefined) throw new RpcError(Status.INTERNAL, 'libvirt does not tell how many CPUs the domain has');
  const ofSocket = cpus.cores * cpus.threads;
  if (cpus.sockets * ofSocket >= wanted) return;
  if (cpus.maxSockets * ofSocket < wanted) {
    const message = `the guest was started for at most ${cpus.maxSockets * ofSocket} CPUs, and ${wanted} are asked for: restart it`;
    throw new RpcError(Status.OUT_OF_RANGE, message, { reason: 'TOO_MANY_CPUS' });
  }
  beforePlug(wanted);
  await domain.setVcpus(wanted, ['live'], { timeoutMs: TIMEOUT_MS });
  log.info({ before: cpus.sockets * ofSocket, after: wanted }, 'gave the running domain more CPUs');
}
