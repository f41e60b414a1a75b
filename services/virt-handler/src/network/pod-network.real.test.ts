import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { VirtualMachineInstance } from '@yagura/api';
import { run } from '../system/run.ts';
import type { Link } from './links.ts';
import { PodNetwork } from './pod-network.ts';

/** Real interfaces, in a network namespace of their own that stands for the pod's. Needs root. */
const CNI = `
ip link set lo up
ip link add eth0 address 0a:58:0a:f4:01:05 mtu 1450 type veth peer name cable
ip addr add 10.244.1.5/24 dev eth0
ip link set cable up
ip link set eth0 up
ip route add default via 10.244.1.1
ip route add 10.244.0.0/16 via 10.244.1.1
echo up
exec sleep 600`;
const vmi: VirtualMachineInstance = {
  metadata: { name: 'demo', namespace: 'default' },
  spec: {
    domain: { devices: { interfaces: [{ name: 'default', bridge: {} }] } },
    networks: [{ name: 'default', pod: {} }],
  },
};
let pod: ChildProcess;
const pid = () => pod.pid ?? 0;

beforeEach(async () => {
  pod = spawn('unshare', ['--net', 'sh', '-euc', CNI], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (pod.stdout) await once(pod.stdout, 'data');
});
afterEach(async () => {
  pod.kill('SIGKILL');
  await once(pod, 'exit');
});

/** What the namespace holds, without what is different every time. */
async function state(): Promise<unknown> {
  const links = JSON.parse(
    await run(['nsenter', '--target', String(pid()), '--net', '--', 'ip', '-json', '-details', 'address', 'show']),
  ) as (Link & { link_type?: string })[];
  return links
    .filter(({ ifname }) => !['lo', 'cable', 'sit0', 'tunl0', 'ip6tnl0'].includes(ifname))
    .map(({ ifname, ifalias, address, mtu, master, flags, addr_info }) => ({
      ifname,
      ifalias,
      address: ifname.startsWith('tap') || ifname.endsWith('-end') ? undefined : address,
      mtu,
      master,
      up: flags?.includes('UP'),
      addresses: addr_info?.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
    }))
    .sort((a, b) => a.ifname.localeCompare(b.ifname));
}

test('the guest takes the pod’s place, and doing it again changes nothing', async () => {
  const network = new PodNetwork(run);
  const first = await network.ensure(vmi, pid());
  expect(first).toMatchObject([
    {
      tapDevice: 'tap0',
      macAddress: '0a:58:0a:f4:01:05',
      mtu: 1450,
      dhcp: {
        guestAddress: '10.244.1.5',
        prefixLength: 24,
        routing: { router: '10.244.1.1', routes: [{ destination: '10.244.0.0/16', gateway: '10.244.1.1' }] },
      },
    },
  ]);
  const built = await state();
  expect(built).toMatchObject([
    { ifname: 'eth0', address: '0a:58:0a:f4:01:05', up: false, addresses: ['10.244.1.5/24'] },
    { ifname: 'eth0-end', up: false },
    { ifname: 'eth0-nic', master: 'k6t-eth0', up: true, addresses: [] },
    { ifname: 'k6t-eth0', up: true, addresses: ['169.254.75.10/32'] },
    { ifname: 'tap0', master: 'k6t-eth0', up: true, addresses: [] },
  ]);
  expect(await network.ensure(vmi, pid())).toEqual(first);
  expect(await state()).toEqual(built);
});

// One after the other: whatever the last command was before the node agent died.
test.each(Array.from({ length: 21 }, (_, index) => index))(
  'broken off after %i commands, it is finished by the next try',
  async (commands) => {
    const broken = new PodNetwork(async (command, options) => {
      const script = command.at(-1) ?? '';
      if (!script.includes('END')) return run(command, options);
      await run([...command.slice(0, -1), cut(script, commands)], options);
      throw new Error('died');
    });
    await expect(broken.ensure(vmi, pid())).rejects.toThrow('died');
    const network = new PodNetwork(run);
    const [attachment] = await network.ensure(vmi, pid());
    expect(attachment).toMatchObject({
      macAddress: '0a:58:0a:f4:01:05',
      dhcp: { guestAddress: '10.244.1.5', routing: { router: '10.244.1.1' } },
    });
    expect(await state()).toMatchObject([
      { ifname: 'eth0', up: false, addresses: ['10.244.1.5/24'] },
      { ifname: 'eth0-end' },
      { ifname: 'eth0-nic', master: 'k6t-eth0', up: true, addresses: [] },
      { ifname: 'k6t-eth0', up: true, addresses: ['169.254.75.10/32'] },
      { ifname: 'tap0', master: 'k6t-eth0', up: true },
    ]);
  },
);

/** The script with only its first commands left. */
function cut(script: string, commands: number): string {
  let left = commands;
  const isFrame = (line: string) => line === 'END' || line.startsWith('ip -batch') || line === '';
  return script
    .split('\n')
    .filter((line) => isFrame(line) || left-- > 0)
    .join('\n');
}
