import { kubectl, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { inGuest } from './support/guest-shell.ts';
import {
  apply,
  eventsOf,
  freshNamespace,
  launcherPod,
  tinySpec,
  tinyVmi,
  untilAgent,
  untilPhase,
} from './support/machines.ts';

const ns = 'e2e-panic';
/** What a kernel does when it panics: the register of the PCI panic device is told so. */
const PANIC = `for d in /sys/bus/pci/devices/*; do
  [ "$(cat $d/vendor):$(cat $d/device)" = 0x1b36:0x0011 ] || continue
  echo 1 >$d/enable && busybox devmem "$(head -n 1 $d/resource | cut -d ' ' -f 1)" 8 1
done`;

beforeAll(async () => {
  await freshNamespace(ns);
}, 150_000);

afterAll(async () => {
  await tryKubectl(undefined, 'delete', 'namespace', ns, '--wait=false');
});

test('a guest that panics is Failed by that name, and an event tells it', async () => {
  const { domain } = tinySpec();
  const devices = { ...domain.devices, panicDevices: [{ model: 'pvpanic' as const }] };
  await apply(tinyVmi(ns, 'panics', { domain: { ...domain, devices } }));
  const pod = await launcherPod(await untilAgent(ns, 'panics'));
  // The agent that is asked for it does not live to answer.
  await inGuest(pod, PANIC, 3_000).catch(() => {});
  const { status } = await untilPhase(ns, 'panics', 'Failed', 30_000);
  expect(status?.reason).toBe('GuestPanicked');
  await eventually('the events tell it', 20_000, async () => {
    const told = (await eventsOf(ns, 'panics')).map(({ type, reason }) => `${type} ${reason}`);
    return told.includes('Warning GuestPanicked') && told.includes('Warning Stopped');
  });
  await kubectl('-n', ns, 'delete', 'vmi', 'panics', '--timeout=60s');
}, 180_000);
