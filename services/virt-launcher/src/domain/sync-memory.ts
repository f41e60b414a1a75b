import { guestMemory, type VirtualMachineInstance } from '@yagura/api';
import { RpcError, Status } from '@yagura/contracts';
import { parseDomainXml, plugMemoryXml } from '@yagura/domain';
import type { Logger } from '@yagura/runtime';
import type { DomainAccess } from '../libvirt/domain-access.ts';
import { WrongStateError } from './errors.ts';
import { isActive } from './observer.ts';

export interface MemoryDependencies {
  access: DomainAccess;
  /** Name of the domain; empty while there is none. */
  name: string;
  log: Logger;
  /** Called with the bytes of memory before libvirt is asked to offer them. */
  beforePlug: (bytes: bigint) => void;
}

const TIMEOUT_MS = 30_000;

/** Offers the running domain the memory of the spec; one that is offered more is left alone. */
export async function syncMemory(
  { spec }: VirtualMachineInstance,
  { access, name, log, beforePlug }: MemoryDependencies,
): Promise<void> {
  const domain = name === '' ? undefined : await access.find(name);
  if (domain === undefined || !isActive(await domain.getState())) throw new WrongStateError('no domain is running');
  const wanted = guestMemory(spec) ?? 0n;
  const xml = await domain.getXMLDesc([], { timeoutMs: TIMEOUT_MS });
  const { memory } = parseDomainXml(xml);
  if (memory !== undefined && memory.requestedBytes >= wanted) return;
  if (memory === undefined || memory.maxBytes < wanted) {
    const most =
      memory === undefined ? 'without room for more memory' : `for at most ${memory.maxBytes} bytes of memory`;
    const message = `the guest was started ${most}, and ${wanted} bytes are asked for: restart it`;
    throw new RpcError(Status.OUT_OF_RANGE, message, { reason: 'TOO_MUCH_MEMORY' });
  }
  const { bootBytes, maxBytes } = memory;
  const plug = plugMemoryXml(xml, wanted - bootBytes, maxBytes - bootBytes);
  beforePlug(wanted);
  if (plug.kind === 'attach') await domain.attachDevice(plug.xml, ['live'], { timeoutMs: TIMEOUT_MS });
  else await domain.updateDevice(plug.xml, ['live'], { timeoutMs: TIMEOUT_MS });
  log.info({ before: String(memory.requestedBytes), after: String(wanted) }, 'offered the running domain more memory');
}
