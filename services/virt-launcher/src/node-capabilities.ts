import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CpuCapabilities, NODE_CAPABILITIES_FILE, type NodeCapabilities } from '@yagura/api';
import { parseCpuCapabilities, parseMachineTypes } from '@yagura/domain';
import { Connection } from '@yagura/libvirt';
import { errorMessage, type Logger } from '@yagura/runtime';
import { run } from './process/run.ts';

/** libvirt may first have to ask QEMU what it can do. */
const TIMEOUT_MS = 60_000;

/** Writes down what guests can be on this node; for virt-handler, which has no libvirt of its own. */
export async function writeNodeCapabilities(uri: string, directory: string, log: Logger): Promise<void> {
  const connection = await Connection.open(uri);
  const cpus = async (virtType: string): Promise<CpuCapabilities> => {
    const kind = { arch: 'x86_64', machine: 'q35', virtType };
    const capabilities = await connection.getDomainCapabilities(kind, { timeoutMs: TIMEOUT_MS });
    return parseCpuCapabilities(capabilities, await baseline(uri, capabilities, virtType));
  };
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

/** The best CPU with all its features written out; virsh is at hand, and this is asked once in the life of a node. */
async function baseline(uri: string, capabilities: string, virtType: string): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'capabilities-'));
  try {
    const file = join(work, 'domain.xml');
    await writeFile(file, capabilities);
    const kind = ['--virttype', virtType, '--arch', 'x86_64', '--machine', 'q35'];
    return await run('virsh', ['-q', '-c', uri, 'hypervisor-cpu-baseline', file, ...kind, '--features'], TIMEOUT_MS);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
