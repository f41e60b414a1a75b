import { fromJson } from '@bufbuild/protobuf';
import { Status, VirtualMachineInstanceSchema } from '@yagura/contracts';
import { linuxMachine, UID } from './guest.ts';
import { domainOf, failure, real, SYNC, until, withPod } from './testing.ts';

const MIB = 1024n ** 2n;
const wanted = (mebibytes: number, sockets = 1) => ({
  vmi: fromJson(VirtualMachineInstanceSchema, {
    metadata: { name: 'demo', namespace: 'default', uid: UID },
    spec: { domain: { memory: { guest: `${mebibytes}Mi` }, cpu: { sockets }, devices: {} } },
  }),
});

real('the memory of a running guest', () => {
  test('comes up to the size that it was started for, also while it is paused, and the guest uses it', async () => {
    await withPod(async (pod) => {
      const { calls } = pod;
      expect((await failure(calls.syncVirtualMachineMemory(wanted(1536)))).code).toBe(Status.FAILED_PRECONDITION);
      const room = { memory: { guest: '1Gi', maxGuest: '2Gi' }, cpu: { sockets: 1, maxSockets: 2 } };
      await calls.syncVirtualMachine(linuxMachine(room), SYNC);
      const size = async () => {
        const { memory, currentMemoryBytes = 0n } = await domainOf(pod);
        const of = (bytes = 0n) => Number(bytes / MIB);
        return [of(memory?.bootBytes), of(memory?.requestedBytes), of(memory?.currentBytes), of(currentMemoryBytes)];
      };
      expect(await size()).toEqual([1024, 1024, 1024, 1024]);
      await until('the agent answers', 90_000, async () => (await domainOf(pod)).guestAgent?.lastSuccess);
      const total = async () => {
        const args = ['-c', "sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo"];
        const { stdout } = await calls.guestExec({ path: '/bin/sh', args }, SYNC);
        return Number(new TextDecoder().decode(stdout)) / 1024;
      };
      const before = await total();
      const grow = async (mebibytes: number) => calls.syncVirtualMachineMemory(wanted(mebibytes), SYNC);
      expect(Number((await grow(1280)).domain?.memory?.requestedBytes)).toBe(1280 * 1024 ** 2);
      await until('the guest has taken it', 20_000, async () => (await size())[2] === 1280);
      expect(await size()).toEqual([1024, 1280, 1280, 1280]);
      await until('the guest uses it', 10_000, async () => (await total()) > before + 240);
      await grow(1024);
      expect(await size()).toEqual([1024, 1280, 1280, 1280]);
      expect(await failure(grow(4096))).toMatchObject({ code: Status.OUT_OF_RANGE });
      // What may grow in both ways has its CPUs in the node that the memory comes to.
      expect((await calls.syncVirtualMachineCpus(wanted(1280, 2), SYNC)).domain?.cpus?.sockets).toBe(2);
      await calls.pauseVirtualMachine({});
      await grow(2048);
      expect((await size()).slice(0, 2)).toEqual([1024, 2048]);
      await calls.unpauseVirtualMachine({});
      await until('the guest has taken all of it', 30_000, async () => (await size())[2] === 2048);
      await until('the guest uses all of it', 10_000, async () => (await total()) > before + 980);
    });
  }, 180_000);
});
