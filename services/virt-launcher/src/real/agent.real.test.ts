import { join } from 'node:path';
import { GuestAgentChannel, Status } from '@yagura/contracts';
import { GuestConsole } from './console.ts';
import { linuxMachine, UID } from './guest.ts';
import { domainOf, failure, real, SYNC, until, withPod } from './testing.ts';

real('the guest agent', () => {
  test('is followed: an address that changes, a silence, a death, each within its budget', async () => {
    await withPod(async (pod) => {
      await pod.calls.syncVirtualMachine(linuxMachine(), SYNC);
      await until('the agent answers', 90_000, async () => (await domainOf(pod)).guestAgent?.lastSuccess);
      const console = await GuestConsole.login(join(pod.root, 'var/run/kubevirt-private', UID, 'virt-serial0'));
      try {
        const addresses = async () => {
          const { interfaces } = await pod.calls.getGuestInfo({});
          return interfaces.flatMap((nic) => nic.addresses.map(({ address }) => address));
        };
        await console.run('ip addr add 10.0.2.77/24 dev eth0');
        await until('the new address is told', 5_000, async () => (await addresses()).includes('10.0.2.77'));

        await console.run('killall -STOP qemu-ga');
        const mute = await until('the silence is named', 10_000, async () => {
          const { guestAgent } = await domainOf(pod);
          return guestAgent?.lastFailure !== undefined && guestAgent;
        });
        expect(mute).toMatchObject({ channel: GuestAgentChannel.CONNECTED, lastError: expect.any(String) });
        // A question that hangs holds up neither the domain nor what was answered before.
        const asked = Date.now();
        await pod.calls.getDomainStats({});
        expect(await addresses()).toContain('10.0.2.77');
        await pod.calls.pauseVirtualMachine({});
        await pod.calls.unpauseVirtualMachine({});
        expect(Date.now() - asked).toBeLessThan(2_500);
        expect((await failure(pod.calls.guestPing({}, { timeoutMs: 15_000 }))).code).toBe(Status.DEADLINE_EXCEEDED);

        await console.run('killall -CONT qemu-ga');
        await until('the agent answers again', 15_000, async () => pod.calls.guestPing({}, { timeoutMs: 6_000 }));

        await console.run('killall -KILL qemu-ga');
        await until('its death is told', 2_000, async () => {
          return (await domainOf(pod)).guestAgent?.channel === GuestAgentChannel.DISCONNECTED;
        });
        expect(await addresses()).toContain('10.0.2.77');
      } finally {
        console.close();
      }
    });
  }, 240_000);
});
