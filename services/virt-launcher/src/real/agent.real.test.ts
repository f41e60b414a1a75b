import { join } from 'node:path';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { AnswerState, type Domain, GuestAgentChannel, Status } from '@yagura/contracts';
import { GuestConsole } from './console.ts';
import { linuxMachine, UID } from './guest.ts';
import type { Pod } from './pod.ts';
import { domainOf, failure, real, SYNC, until, withPod } from './testing.ts';

/** The evidence once there is an answer of ARP that is newer. */
async function arpSince(pod: Pod, since: NonNullable<Domain['guestAgent']>['lastSuccess']) {
  const { evidence } = await domainOf(pod);
  const at = evidence?.arp[0]?.observedAt;
  return at !== undefined && since !== undefined && timestampDate(at) > timestampDate(since) && evidence;
}

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
        expect(mute.hanging).toBeUndefined();
        const { arp } = await until('the guest answers ARP', 5_000, async () => arpSince(pod, mute.lastSuccess));
        expect(arp).toMatchObject([{ interface: 'default', answers: true }]);
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

        // A file system whose server says nothing, and an agent that lacks a command.
        await console.run('exec 3<>/dev/fuse');
        const options = 'fd=3,rootmode=40000,user_id=0,group_id=0,blksize=512';
        await console.run(`mount -t fuseblk -o ${options} /dev/vda /mnt && grep /mnt /proc/mounts`);
        const port = '/dev/virtio-ports/org.qemu.guest_agent.0';
        await console.run(`qemu-ga -d -m virtio-serial -p ${port} -t /run -b guest-get-timezone 3>&-`);
        const hanging = async () => (await domainOf(pod)).guestAgent?.hanging?.command === 'guest-get-fsinfo';
        await until('the command that hangs is named', 15_000, hanging);
        const info = await pod.calls.getGuestInfo({});
        expect(info.timezoneStatus).toMatchObject({ state: AnswerState.UNSUPPORTED });
        expect(info.hostnameStatus).toMatchObject({ state: AnswerState.OK });
        expect(info.filesystems?.status).toMatchObject({ error: expect.any(String) });
        pod.kill('node', 'SIGKILL');
        await until('the next launcher knows it', 15_000, hanging);
        await console.run('exec 3>&-');
        await until('it hangs no more', 15_000, async () => {
          const { guestAgent } = await domainOf(pod);
          return guestAgent?.lastSuccess !== undefined && guestAgent.hanging === undefined;
        });

        console.type('reboot');
        await until('the channel closes', 10_000, async () => {
          return (await domainOf(pod)).guestAgent?.channel === GuestAgentChannel.DISCONNECTED;
        });
        await until('the guest has said why', 1_500, async () => (await domainOf(pod)).evidence?.serial?.goingDownAt);
        await until('its reset is seen', 15_000, async () => (await domainOf(pod)).rebootedAt);
      } finally {
        console.close();
      }
    });
  }, 240_000);
});
