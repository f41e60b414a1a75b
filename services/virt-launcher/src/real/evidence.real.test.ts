import { join } from 'node:path';
import { DomainState } from '@yagura/contracts';
import { Connection } from '@yagura/libvirt';
import { GuestConsole } from './console.ts';
import { linuxMachine, UID } from './guest.ts';
import type { Pod } from './pod.ts';
import { domainOf, real, SYNC, until, withPod } from './testing.ts';

/** As somebody with virsh in the pod. */
async function behindTheLauncher(pod: Pod, act: 'suspend' | 'resume'): Promise<void> {
  const socket = join(pod.root, 'var/run/libvirt/libvirt-sock');
  const connection = await Connection.open(`qemu:///session?socket=${socket}`, { timeoutMs: 5_000 });
  try {
    await (await connection.lookupByName('default_demo'))[act]();
  } finally {
    await connection.close();
  }
}

real('what is known of a guest without its agent', () => {
  test('who has paused it, also after a restart; and that its kernel has panicked, until it is reset', async () => {
    await withPod(async (pod) => {
      await pod.calls.syncVirtualMachine(linuxMachine(), SYNC);
      const pausedBy = async (requested: boolean) => {
        const { state, pauseRequested } = await domainOf(pod);
        return state === DomainState.PAUSED && pauseRequested === requested;
      };
      await pod.calls.pauseVirtualMachine({});
      await until('the pause was asked for', 2_000, async () => pausedBy(true));
      await pod.calls.unpauseVirtualMachine({});
      await until('it runs', 2_000, async () => (await domainOf(pod)).state === DomainState.RUNNING);
      await behindTheLauncher(pod, 'suspend');
      await until('nobody has asked for the pause', 2_000, async () => pausedBy(false));
      pod.kill('node', 'SIGKILL');
      await until('the next launcher knows that too', 15_000, async () => pausedBy(false));
      await behindTheLauncher(pod, 'resume');

      await until('the agent answers', 90_000, async () => (await domainOf(pod)).guestAgent?.lastSuccess);
      const console = await GuestConsole.login(join(pod.root, 'var/run/kubevirt-private', UID, 'virt-serial0'));
      try {
        console.type('echo c >/proc/sysrq-trigger');
        const { evidence } = await until('panic, silence and a CPU that loops', 20_000, async () => {
          const domain = await domainOf(pod);
          const { arp, serial, cpu } = domain.evidence ?? {};
          const silent = domain.guestAgent?.lastFailure !== undefined && arp?.[0]?.answers === false;
          return silent && serial?.panic !== undefined && (cpu?.secondsPerSecond ?? 0) > 0.5 && domain;
        });
        expect(evidence?.serial?.panic).toMatch(/^Kernel panic - not syncing: sysrq triggered crash/);
        await pod.calls.reset({});
        await until('the reset is seen, and the panic over', 5_000, async () => {
          const { rebootedAt, evidence } = await domainOf(pod);
          return rebootedAt !== undefined && evidence?.serial?.panic === undefined;
        });
      } finally {
        console.close();
      }
    });
  }, 180_000);
});
