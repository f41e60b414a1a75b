import { fromJson } from '@bufbuild/protobuf';
import { Status, VirtualMachineInstanceSchema } from '@yagura/contracts';
import { linuxMachine, UID } from './guest.ts';
import { domainOf, failure, real, SYNC, until, withPod } from './testing.ts';

const wanted = (sockets: number) => ({
  vmi: fromJson(VirtualMachineInstanceSchema, {
    metadata: { name: 'demo', namespace: 'default', uid: UID },
    spec: { domain: { memory: { guest: '192Mi' }, cpu: { sockets }, devices: {} } },
  }),
});

real('the CPUs of a running guest', () => {
  test('come up to the number that it was started for, also while it is paused, and never go', async () => {
    await withPod(async (pod) => {
      const { calls } = pod;
      expect((await failure(calls.syncVirtualMachineCpus(wanted(2)))).code).toBe(Status.FAILED_PRECONDITION);
      await calls.syncVirtualMachine(linuxMachine({ cpu: { sockets: 1, maxSockets: 3 } }), SYNC);
      expect((await domainOf(pod)).cpus).toMatchObject({ sockets: 1, cores: 1, threads: 1, maxSockets: 3 });
      await until('the agent answers', 90_000, async () => (await domainOf(pod)).guestAgent?.lastSuccess);
      const nproc = async () => {
        const { stdout } = await calls.guestExec({ path: '/bin/sh', args: ['-c', 'nproc'] }, SYNC);
        return Number(new TextDecoder().decode(stdout));
      };
      const sockets = async (count: number) =>
        (await calls.syncVirtualMachineCpus(wanted(count), SYNC)).domain?.cpus?.sockets;
      expect(await sockets(2)).toBe(2);
      await until('the guest uses both', 20_000, async () => (await nproc()) === 2);
      expect(await sockets(1)).toBe(2);
      expect(await failure(calls.syncVirtualMachineCpus(wanted(4)))).toMatchObject({ code: Status.OUT_OF_RANGE });
      await calls.pauseVirtualMachine({});
      expect(await sockets(3)).toBe(3);
      await calls.unpauseVirtualMachine({});
      await until('the guest uses all three', 20_000, async () => (await nproc()) === 3);
    });
  }, 180_000);
});
