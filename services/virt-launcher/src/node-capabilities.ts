import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CpuCapabilities, NODE_CAPABILITIES_FILE, type NodeCapabilities } from '@yagura/api';
import { parseCpuCapabilities, parseMachineTypes } from '@yagura/domain';
import { Connection } from '@yagura/libvirt';
import { errorMessage, type Logger } from '@yagura/runtime';

/** libvirt may first have to ask QEMU what it can do. */
const TIMEOUT_MS = 60_000;

/** Writes down what guests can be on this node; for virt-handler, which has no libvirt of its own. */
export async function writeNodeCapabilities(uri: string, directory: string, log: Logger): Promise<void> {
  const connection = await Connection.open(uri);
  const cpus = async (virtType: string): Promise<CpuCapabilities> =>
    parseCpuCapabilities(
      await connection.getDomainCapabilities({ arch: 'x86_64', machine: 'q35', virtType }, { timeoutMs: TIMEOUT_MS }),
    );
  try {
    const machineTypes = parseMachineTypes(await connection.getCapabilities({ timeoutMs: TIMEOUT_MS }));
    const emulated = await cpus('qemu');
    const kvm = await cpus('kvm').catch((error: unknown) => {
      log.info({ reason: errorMessage(error) }, 'no KVM on this node');
      return undefined;
    });
    const found: NodeCapabilities = { machineTypes, emulated, ...(kvm ? { kvm } : {}) };
    const file = join(directory, NODE_CAPABILITIES_FILE);
    await mkdir(directory, { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify(found));
    await rename(`${file}.new`, file);
    log.info({ models: emulated.models.length, kvm: kvm?.hostModel, machines: machineTypes.length }, 'node inspected');
  } finally {
    await connection.close();
  }
}
