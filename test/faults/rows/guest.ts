import { eventually } from '../../e2e/support/eventually.ts';
import { tinySpec } from '../../e2e/support/machines.ts';
import type { Fault } from '../fault.ts';

const { domain } = tinySpec();

/** The guest itself breaks. */
export const guestFaults: Fault[] = [
  {
    name: 'guest panic, without a panic device',
    expected: { layer: 'guest', signals: ['guest-panicked'] },
    withinSeconds: 15,
    spec: { domain: { ...domain, devices: { ...domain.devices, logSerialConsole: true } } },
    inject: async ({ console }) =>
      console.send('echo 1 >/proc/sys/kernel/sysrq; echo 0 >/proc/sys/kernel/panic; echo c >/proc/sysrq-trigger\n'),
  },
  {
    name: 'guest panic, with a panic device',
    expected: { layer: 'guest', signals: ['guest-panicked', 'crash-loop'] },
    withinSeconds: 10,
    spec: { domain: { ...domain, devices: { ...domain.devices, panicDevices: [{ model: 'pvpanic' }] } } },
    inject: async ({ console }) =>
      console.send(
        `for d in /sys/bus/pci/devices/*; do [ "$(cat $d/vendor):$(cat $d/device)" = 0x1b36:0x0011 ] && echo 1 >$d/enable && busybox devmem "$(head -n 1 $d/resource | cut -d ' ' -f 1)" 8 1; done\n`,
      ),
  },
  {
    name: 'guest IP flushed',
    expected: { layer: 'network', signals: ['guest-without-address'] },
    withinSeconds: 5,
    inject: async ({ console, vmi }) => {
      // Before that a guest without an address is one that boots.
      const runs = vmi.status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
      const since = Date.parse(String(runs?.phaseTransitionTimestamp));
      await eventually('the guest has run for a minute', 70_000, async () => Date.now() - since > 62_000);
      await console.run('killall udhcpc; ip address flush dev eth0');
    },
    repair: async ({ console }) => void (await console.run('udhcpc -q -n -t 5 -T 1 -i eth0')),
  },
  {
    name: 'second IP added',
    expected: { layer: 'network', signals: ['guest-only-address'], remark: true },
    withinSeconds: 5,
    inject: async ({ console }) => void (await console.run('ip address add 192.0.2.7/24 dev eth0')),
    repair: async ({ console }) => void (await console.run('ip address del 192.0.2.7/24 dev eth0')),
  },
];
