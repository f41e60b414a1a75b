import { join } from 'node:path';
import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { Status, VirtualMachineInstanceSchema } from '@yagura/contracts';
import { GuestConsole } from './console.ts';
import { idleMachine, linuxMachine, UID } from './guest.ts';
import { domainOf, failure, real, SYNC, until, withPod } from './testing.ts';

const MAC = '52:54:00:12:34:57';

/** The running machine's instance with other interfaces, as virt-handler sends it. */
function wanted(interfaces: JsonValue[], taps: { name: string; tapDevice: string; macAddress?: string }[]) {
  const vmi = {
    metadata: { name: 'demo', namespace: 'default', uid: UID },
    spec: { domain: { memory: { guest: '192Mi' }, devices: { interfaces } } },
  };
  return { vmi: fromJson(VirtualMachineInstanceSchema, vmi), options: { useEmulation: true, interfaces: taps } };
}
const first = { name: 'default', masquerade: {} };
const taps = [
  { name: 'default', tapDevice: 'tap0', macAddress: '52:54:00:12:34:56' },
  { name: 'late', tapDevice: 'tap1', macAddress: MAC },
];

real('the interfaces of a running guest', () => {
  test('are plugged in and out, and their links moved, and the guest sees it', async () => {
    await withPod(async (pod) => {
      expect((await failure(pod.calls.syncInterfaces(wanted([first], taps)))).code).toBe(Status.FAILED_PRECONDITION);
      await pod.calls.syncVirtualMachine(linuxMachine(), SYNC);
      await until('the agent answers', 90_000, async () => (await domainOf(pod)).guestAgent?.lastSuccess);
      const console = await GuestConsole.login(join(pod.root, 'var/run/kubevirt-private', UID, 'virt-serial0'));
      try {
        const sync = async (interfaces: JsonValue[]) => pod.calls.syncInterfaces(wanted(interfaces, taps), SYNC);
        const seen = async (what: string, command: string, is: (output: string) => boolean) =>
          until(what, 20_000, async () => is(await console.run(command)));
        const carrier = 'cat /sys/class/net/eth0/carrier';

        const down = await sync([{ ...first, state: 'down' }]);
        expect(down.problems).toEqual([]);
        expect(down.domain?.interfaces).toMatchObject([{ name: 'default', linkState: 'down' }]);
        await seen('no carrier', carrier, (output) => /^0\r?$/m.test(output));
        expect((await sync([first])).domain?.interfaces).toMatchObject([{ name: 'default', linkState: 'up' }]);
        await seen('a carrier', carrier, (output) => /^1\r?$/m.test(output));

        const more = await sync([first, { name: 'late', bridge: {} }]);
        expect(more.problems).toEqual([]);
        expect(more.domain?.interfaces).toMatchObject([{ name: 'default' }, { name: 'late', macAddress: MAC }]);
        await seen('the new NIC', 'cat /sys/class/net/*/address', (output) => output.includes(MAC));
        expect((await sync([first, { name: 'late', bridge: {} }])).problems).toEqual([]);

        await sync([first, { name: 'late', bridge: {}, state: 'absent' }]);
        await until('the NIC has left the domain', 20_000, async () => (await domainOf(pod)).interfaces.length === 1);
        await seen('the NIC gone', 'cat /sys/class/net/*/address', (output) => !output.includes(MAC));
      } finally {
        console.close();
      }
    });
  }, 240_000);

  test('that no device can be made for are told by name, and keep none of the others', async () => {
    await withPod(async (pod) => {
      await pod.calls.syncVirtualMachine(idleMachine(), SYNC);
      const bad = [
        { name: 'lost', tapDevice: 'tap9' },
        { name: 'late', tapDevice: 'tap1' },
      ];
      const { problems, domain } = await pod.calls.syncInterfaces(
        wanted(
          [
            { name: 'lost', bridge: {} },
            { name: 'late', bridge: {} },
          ],
          bad,
        ),
        SYNC,
      );
      expect(problems).toMatchObject([{ interface: 'lost', message: expect.stringMatching(/./) }]);
      expect(domain?.interfaces).toMatchObject([{ name: 'late' }]);
    });
  }, 60_000);
});
