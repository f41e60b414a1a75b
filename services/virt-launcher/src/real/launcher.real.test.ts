import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Accelerator,
  AnswerState,
  DomainOutcome,
  DomainState,
  GuestAgentChannel,
  ShutdownMethod,
  Status,
} from '@yagura/contracts';
import { idleMachine, linuxMachine } from './guest.ts';
import { domainOf, endOf, failure, real, SYNC, until, withPod } from './testing.ts';

// The launcher as a process under a supervisor, with a real libvirt daemon and QEMU (TCG), driven over its socket.
const RECORD = 'var/run/kubevirt-private/run.json';

real('a launcher with a Linux guest', () => {
  test('runs it, knows it, survives the death of its own processes, and shuts it down when the pod ends', async () => {
    await withPod(
      async (pod) => {
        const { domain } = await pod.calls.syncVirtualMachine(linuxMachine(), SYNC);
        expect(domain).toMatchObject({
          name: 'default_demo',
          state: DomainState.RUNNING,
          accelerator: Accelerator.TCG,
          guestAgent: { channel: GuestAgentChannel.NEVER_CONNECTED },
          interfaces: [{ name: 'default', macAddress: '52:54:00:12:34:56', targetDevice: 'tap0' }],
        });
        const [qemu] = pod.pids('qemu-system-x86_64');

        const info = await until('the agent tells the address that DHCP gave', 90_000, async () => {
          const answer = await pod.calls.getGuestInfo({});
          const addresses = answer.interfaces.flatMap((nic) => nic.addresses.map(({ address }) => address));
          return addresses.includes('10.0.2.2') && answer.osStatus?.state === AnswerState.OK && answer;
        });
        expect(info.os).toMatchObject({ id: 'yagura-tiny' });
        await until('the guest has the name that its seed gave', 30_000, async () => {
          return (await pod.calls.getGuestInfo({})).hostname === 'demo';
        });
        await pod.calls.guestPing({});
        expect((await pod.calls.getUsers({})).status?.state).toBe(AnswerState.OK);

        const stats = await pod.calls.getDomainStats({});
        expect(stats.cpu?.timeNanoseconds).toBeGreaterThan(0n);
        expect(stats.blocks.map(({ name, target }) => [name, target])).toEqual([
          ['scratch', 'vda'],
          ['seed', 'vdb'],
        ]);
        expect(stats.interfaces).toMatchObject([{ name: 'default', device: 'tap0' }]);

        await pod.calls.pauseVirtualMachine({});
        expect((await domainOf(pod)).state).toBe(DomainState.PAUSED);
        await pod.calls.unpauseVirtualMachine({});
        expect((await domainOf(pod)).state).toBe(DomainState.RUNNING);

        await pod.calls.syncVirtualMachine(linuxMachine(), SYNC);
        const other = await failure(pod.calls.syncVirtualMachine(idleMachine({ uid: 'someone-else' }), SYNC));
        expect(other.code).toBe(Status.ALREADY_EXISTS);

        const { stateSince } = await domainOf(pod);
        pod.kill('node', 'SIGKILL');
        await until('a new launcher finds the agent again', 20_000, async () => {
          return (await domainOf(pod)).guestAgent?.lastSuccess;
        });
        expect((await domainOf(pod)).stateSince).toEqual(stateSince);
        pod.kill('libvirtd', 'SIGKILL');
        await until('the loss of the daemon is named and over', 20_000, async () => {
          const { libvirt, state } = await domainOf(pod);
          return libvirt?.losses === 1 && libvirt.connected && state === DomainState.RUNNING;
        });
        expect(pod.pids('qemu-system-x86_64')).toEqual([qemu]);

        await until('the agent answers again', 20_000, async () => pod.calls.guestPing({}));
        pod.terminate();
        const end = await endOf(pod, 30_000);
        expect(end).toMatchObject({
          outcome: DomainOutcome.SHUTDOWN,
          message: 'the guest obeyed the request to shut down',
          podTerminating: true,
        });
        expect(await pod.ended()).toBe(0);
        expect(JSON.parse(pod.terminationMessage)).toEqual({
          outcome: 'shutdown',
          message: 'the guest obeyed the request to shut down',
          ran: true,
          podTerminating: true,
        });
      },
      { GRACE_PERIOD_SECONDS: '60' },
    );
  }, 240_000);
});

real('a launcher whose QEMU', () => {
  test('is killed reports that it is gone, and its pod fails once nobody needs it any more', async () => {
    await withPod(async (pod) => {
      await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
      pod.kill('qemu-system-x86_64', 'SIGKILL');
      const end = await endOf(pod, 5_000);
      expect(end).toMatchObject({ outcome: DomainOutcome.QEMU_GONE });
      expect(end.message).toMatch(/crashed or was killed/);
      expect((await failure(pod.calls.syncVirtualMachine(idleMachine(), SYNC))).code).toBe(Status.FAILED_PRECONDITION);
      await pod.calls.deleteVirtualMachine({});
      expect(await pod.ended()).toBe(7);
    });
  }, 60_000);

  test('ended while nobody looked is never called a success', async () => {
    await withPod(async (pod) => {
      await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
      // Stopped first, so that neither of them can see anything on its way out.
      for (const name of ['node', 'libvirtd']) pod.kill(name, 'SIGSTOP');
      pod.kill('qemu-system-x86_64', 'SIGKILL');
      for (const name of ['node', 'libvirtd']) pod.kill(name, 'SIGKILL');
      const end = await endOf(pod, 30_000);
      expect(end.outcome).toBe(DomainOutcome.UNOBSERVED);
      expect((await domainOf(pod)).stateReason).toBe('unobserved');
    });
  }, 60_000);

  test('hangs is named, holds nobody up, and is ended all the same', async () => {
    await withPod(async (pod) => {
      await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
      pod.kill('qemu-system-x86_64', 'SIGSTOP');
      await until('the silence is named', 10_000, async () => (await domainOf(pod)).monitor?.silentSince);
      const asked = Date.now();
      expect((await failure(pod.calls.getDomainStats({}))).code).toBe(Status.DEADLINE_EXCEEDED);
      expect(Date.now() - asked).toBeLessThan(2_000);
      await pod.calls.killVirtualMachine({}, { timeoutMs: 10_000 });
      expect(await endOf(pod, 5_000)).toMatchObject({ outcome: DomainOutcome.DESTROYED, message: 'killed on request' });
      expect(pod.pids('qemu-system-x86_64')).toEqual([]);
    });
  }, 60_000);
});

real('a launcher that dies while it starts a domain', () => {
  test('starts it once all the same, when it is asked again', async () => {
    await withPod(async (pod) => {
      const first = failure(pod.calls.syncVirtualMachine(idleMachine(), SYNC));
      await until('the start has begun', 20_000, async () => existsSync(join(pod.root, RECORD)));
      pod.kill('node', 'SIGKILL');
      expect((await first).code).toBe(Status.UNAVAILABLE);
      const { domain } = await until('the new launcher takes the request', 30_000, async () => {
        return pod.calls.syncVirtualMachine(idleMachine(), SYNC);
      });
      expect(domain?.state).toBe(DomainState.RUNNING);
      expect(pod.pids('qemu-system-x86_64')).toHaveLength(1);
    });
  }, 60_000);
});

real('a launcher whose libvirt daemon hangs', () => {
  test('names it, and ends the domain all the same', async () => {
    await withPod(async (pod) => {
      await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
      pod.kill('libvirtd', 'SIGSTOP');
      const lost = await until('the hang is named', 10_000, async () => {
        const domain = await domainOf(pod);
        return domain.libvirt?.connected === false && domain;
      });
      expect(lost).toMatchObject({ state: DomainState.UNSPECIFIED, libvirt: { losses: 1 } });
      expect(lost.libvirt?.lastError).toMatch(/does not answer/);
      await pod.calls.killVirtualMachine({}, { timeoutMs: 15_000 });
      expect(pod.pids('qemu-system-x86_64')).toEqual([]);
      expect((await endOf(pod, 15_000)).outcome).toBe(DomainOutcome.DESTROYED);
    });
  }, 90_000);
});

real('a launcher whose pod ends', () => {
  test('kills a guest that does not obey once its grace period is over', async () => {
    await withPod(
      async (pod) => {
        await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
        const watch = pod.calls.watchDomain({});
        const seen = (async () => {
          for await (const { domain } of watch) if (domain?.end !== undefined) return domain.end;
          return undefined;
        })();
        pod.terminate();
        expect(await seen).toMatchObject({
          outcome: DomainOutcome.DESTROYED,
          message: 'killed: the guest did not shut down within its grace period of 2 s',
        });
        await pod.calls.deleteVirtualMachine({});
        expect(await pod.ended()).toBe(5);
      },
      { GRACE_PERIOD_SECONDS: '2' },
    );
  }, 60_000);

  test('goes on with what is left of the grace period when the launcher dies on the way', async () => {
    await withPod(
      async (pod) => {
        await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
        pod.terminate();
        await until('the guest is asked', 10_000, async () => (await domainOf(pod)).shutdownRequestedAt);
        const died = Date.now();
        pod.kill('node', 'SIGKILL');
        const end = await endOf(pod, 20_000);
        expect(end.message).toMatch(/within its grace period of 8 s/);
        expect(Date.now() - died).toBeLessThan(12_000);
        expect(await pod.ended()).toBe(5);
        expect(JSON.parse(pod.terminationMessage)).toMatchObject({ outcome: 'destroyed', ran: true });
      },
      { GRACE_PERIOD_SECONDS: '8' },
    );
  }, 60_000);

  test('goes at once when there never was a domain', async () => {
    await withPod(async (pod) => {
      pod.terminate();
      expect(await pod.ended()).toBe(6);
      expect(JSON.parse(pod.terminationMessage)).toMatchObject({ outcome: 'no-domain', ran: false });
    });
  }, 60_000);
});

real('a launcher that is asked for what it cannot do', () => {
  test('says which field or what state stands in the way', async () => {
    await withPod(async (pod) => {
      const disk = { devices: { disks: [{ name: 'root', disk: { bus: 'ide' } }] } };
      const volumes = [{ name: 'root', emptyDisk: { capacity: '8Mi' } }];
      const bad = await failure(pod.calls.syncVirtualMachine(idleMachine({ domain: disk, spec: { volumes } }), SYNC));
      expect(bad.code).toBe(Status.INVALID_ARGUMENT);
      expect(bad.details.violations?.map(({ field }) => field)).toEqual(['spec.domain.devices.disks[0].disk.bus']);

      const image = { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } };
      const container = { volumes: [{ name: 'root', containerDisk: { image: 'x' } }] };
      const early = await failure(pod.calls.syncVirtualMachine(idleMachine({ domain: image, spec: container }), SYNC));
      expect(early).toMatchObject({ code: Status.FAILED_PRECONDITION, details: { reason: 'DISK_NOT_READY' } });

      const calls = [
        pod.calls.pauseVirtualMachine({}),
        pod.calls.shutdownVirtualMachine({}),
        pod.calls.getDomainStats({}),
      ];
      for (const call of calls) expect((await failure(call)).code).toBe(Status.FAILED_PRECONDITION);
      expect((await failure(pod.calls.guestPing({}))).code).toBe(Status.UNAVAILABLE);
      expect((await domainOf(pod)).state).toBe(DomainState.ABSENT);

      expect(existsSync(join(pod.root, RECORD))).toBe(false);
      await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
      const { method } = await pod.calls.shutdownVirtualMachine({});
      expect(method).toBe(ShutdownMethod.ACPI);
      expect(JSON.parse(readFileSync(join(pod.root, RECORD), 'utf8'))).toHaveProperty('shutdownRequestedAt');
    });
  }, 60_000);
});
