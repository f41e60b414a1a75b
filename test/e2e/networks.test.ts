import type { VirtualMachineInstance } from '@yagura/api';
import { kubectl, list, nodeExec } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { inGuest } from './support/guest-shell.ts';
import {
  apply,
  condition,
  eventsOf,
  freshNamespace,
  getVm,
  getVmi,
  launcherPod,
  type PodObject,
  tinyVm,
  tinyVmi,
  untilAgent,
} from './support/machines.ts';

type Interfaces = NonNullable<VirtualMachineInstance['spec']['domain']['devices']['interfaces']>;
type Networks = NonNullable<VirtualMachineInstance['spec']['networks']>;
type InterfaceStatus = NonNullable<NonNullable<VirtualMachineInstance['status']>['interfaces']>[number];

const ns = 'e2e-networks';
const pods: Record<string, PodObject> = {};
const podOf = (name: string) => pods[name] as PodObject;
const LAN_MAC = '02:00:00:00:0a:01';

/** A network on the Ethernet that all nodes share. */
const definition = (name: string, ipam: object) => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { namespace: ns, name },
  spec: { config: JSON.stringify({ cniVersion: '0.4.0', name, type: 'bridge', bridge: 'br-lan', ipam }) },
});
const pool = { type: 'host-local', ranges: [[{ subnet: '192.168.77.0/24', gateway: '192.168.77.1' }]] };

const lan: Networks[number] = { name: 'lan', multus: { networkName: 'lan' } };
const SPECS: Record<string, { interfaces: Interfaces; networks: Networks }> = {
  bridged: {
    interfaces: [
      { name: 'default', bridge: {} },
      { name: 'lan', bridge: {}, macAddress: LAN_MAC },
    ],
    networks: [{ name: 'default', pod: {} }, lan],
  },
  hidden: {
    interfaces: [
      {
        name: 'default',
        masquerade: {},
        dhcpOptions: {
          bootFileName: 'boot.img',
          tftpServerName: 'tftp.example',
          ntpServers: ['10.9.8.7'],
          privateOptions: [{ option: 240, value: 'secret' }],
        },
      },
      { name: 'lan', bridge: {} },
      { name: 'spare', bridge: {}, model: 'e1000e', state: 'down' },
    ],
    networks: [{ name: 'default', pod: {} }, lan, { name: 'spare', multus: { networkName: `${ns}/lan` } }],
  },
};

const entryOf = async (vm: string, name: string): Promise<InterfaceStatus | undefined> =>
  (await getVmi(ns, vm))?.status?.interfaces?.find((entry) => entry.name === name);

/** The entry of an interface, once it is as it should be. */
const untilInterface = async (vm: string, name: string, wanted: (entry: InterfaceStatus) => boolean) =>
  eventually(`interface ${name} of ${vm}`, 60_000, async () => {
    const vmi = await getVmi(ns, vm);
    const entry = vmi?.status?.interfaces?.find((each) => each.name === name);
    if (entry && wanted(entry)) return entry;
    throw new Error(`${JSON.stringify(vmi?.status?.interfaces)}; ${JSON.stringify(vmi?.status?.conditions)}`);
  });

/** Changes a machine's template as its user does. */
async function change(vm: string, to: { interfaces: Interfaces; networks: Networks }): Promise<void> {
  const spec = { domain: { devices: { interfaces: to.interfaces } }, networks: to.networks };
  const patch = JSON.stringify({ spec: { template: { spec } } });
  // The webhook may be busy.
  await eventually(`machine ${vm} changed`, 60_000, () =>
    kubectl('-n', ns, 'patch', 'vm', vm, '--type=merge', '-p', patch),
  );
}

const reaches = (pod: PodObject, address: string) =>
  eventually(`an answer of ${address}`, 20_000, async () => (await inGuest(pod, `ping -c 1 -W 1 ${address}`)) !== '');

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(definition('lan', {}));
  await apply(definition('pool', pool));
  const nodes = (await list<{ metadata: { name: string } }>('nodes')).map(({ metadata }) => metadata.name).sort();
  for (const [index, [name, { interfaces, networks }]] of Object.entries(SPECS).entries()) {
    const vm = tinyVm(ns, name, 'Always', { networks });
    const { spec } = vm.spec.template;
    spec.domain.devices.interfaces = interfaces;
    spec.nodeSelector = { 'kubernetes.io/hostname': nodes[index % nodes.length] ?? '' };
    await apply(vm);
  }
  for (const name of Object.keys(SPECS)) pods[name] = await launcherPod(await untilAgent(ns, name, 240_000));
}, 300_000);

afterAll(async () => {
  await kubectl('delete', 'namespace', ns, '--wait=false');
});

test('on the pod network a bridged guest has the address and the MAC of its pod', async () => {
  const pod = podOf('bridged');
  const status = await untilInterface('bridged', 'default', (entry) => entry.infoSource === 'domain, guest-agent');
  expect(status).toMatchObject({ ipAddress: pod.status?.podIP, interfaceName: 'eth0', podInterfaceName: 'eth0' });
  const address = await eventually('an address in the guest', 20_000, async () => {
    return /inet ([\d.]+)/.exec(await inGuest(pod, 'ip -4 address show dev eth0'))?.[1];
  });
  expect(address).toBe(pod.status?.podIP);
  expect(await inGuest(pod, 'cat /sys/class/net/eth0/address')).toContain(status.mac);
});

test('the node and another machine reach the bridged guest at the pod’s address, and it reaches out', async () => {
  const [pod, other] = [podOf('bridged'), podOf('hidden')];
  const address = pod.status?.podIP ?? '';
  await eventually('an answer to the node', 20_000, async () => {
    return (await nodeExec(pod.spec.nodeName ?? '', 'busybox', 'ping', '-c', '1', '-W', '1', address)) !== '';
  });
  await inGuest(pod, 'mkdir -p /tmp/www; echo bridged >/tmp/www/index.html; httpd -p 80 -h /tmp/www');
  expect(await inGuest(other, `wget -q -T 5 -O - http://${address}/`)).toBe('bridged\n');
  await reaches(pod, other.status?.podIP ?? '');
});

test('two machines on different nodes reach each other over the bridged network', async () => {
  const [one, other] = [podOf('bridged'), podOf('hidden')];
  expect(one.spec.nodeName).not.toBe(other.spec.nodeName);
  await inGuest(one, 'ip address replace 192.168.50.1/24 dev eth1');
  await inGuest(other, 'ip address replace 192.168.50.2/24 dev eth1');
  await reaches(one, '192.168.50.2');
  await reaches(other, '192.168.50.1');
});

test('the status names the sources of each interface, the pod’s interface, and the MAC of the spec', async () => {
  const status = await untilInterface('bridged', 'lan', (entry) => entry.ipAddress === '192.168.50.1');
  expect(status).toMatchObject({
    mac: LAN_MAC,
    interfaceName: 'eth1',
    infoSource: 'domain, guest-agent, multus-status',
    queueCount: 1,
    linkState: 'up',
  });
  expect(status.podInterfaceName).toMatch(/^pod[0-9a-f]{11}$/);
  const spare = await entryOf('hidden', 'spare');
  expect(spare).toMatchObject({ linkState: 'down', infoSource: expect.stringContaining('multus-status') });
});

test('an e1000e interface is that device for the guest', async () => {
  const devices = await inGuest(podOf('hidden'), 'cat /sys/bus/pci/devices/*/device');
  expect(devices.split('\n')).toContain('0x10d3');
});

test('DHCP tells the guest the options of the spec', async () => {
  // No single quotes: the command is inside of some.
  const script = 'printf "#!/bin/sh\\nenv\\n" >/tmp/show; chmod 755 /tmp/show';
  const ask = 'udhcpc -f -q -n -t 5 -T 1 -i eth0 -s /tmp/show -O tftp -O bootfile -O ntpsrv -O 240';
  const told = await inGuest(podOf('hidden'), `${script}; ${ask}`);
  expect(told).toContain('ntpsrv=10.9.8.7');
  expect(told).toContain('tftp=tftp.example');
  expect(told).toMatch(/boot_?file=boot\.img/);
  expect(told).toContain(`opt240=${Buffer.from('secret').toString('hex')}`);
});

test('the link of a running guest goes down and up as the spec says', async () => {
  const carrier = (of: string) =>
    eventually(`carrier ${of}`, 20_000, async () => {
      return (await inGuest(podOf('hidden'), 'cat /sys/class/net/eth1/carrier')).trim() === of;
    });
  const { interfaces, networks } = SPECS['hidden'] ?? { interfaces: [], networks: [] };
  const with_ = (state: 'up' | 'down') => interfaces.map((nic) => (nic.name === 'lan' ? { ...nic, state } : nic));
  await change('hidden', { interfaces: with_('down'), networks });
  await untilInterface('hidden', 'lan', ({ linkState }) => linkState === 'down');
  await carrier('0');
  await change('hidden', { interfaces: with_('up'), networks });
  await untilInterface('hidden', 'lan', ({ linkState }) => linkState === 'up');
  await carrier('1');
  expect(condition(await getVm(ns, 'hidden'), 'RestartRequired')).toBeUndefined();
});

test('an interface is plugged into a running guest, gets the address of its network, and is plugged out again', async () => {
  const pod = podOf('bridged');
  const { interfaces, networks } = SPECS['bridged'] ?? { interfaces: [], networks: [] };
  const late = { name: 'late', bridge: {} };
  const more = [...networks, { name: 'late', multus: { networkName: 'pool' } }];
  await change('bridged', { interfaces: [...interfaces, late], networks: more });
  const plugged = await untilInterface('bridged', 'late', ({ infoSource }) => infoSource?.includes('domain') === true);
  expect(plugged.infoSource).toContain('multus-status');
  await eventually('the device in the guest', 20_000, async () => {
    return (await inGuest(pod, 'ls /sys/class/net')).includes('eth2');
  });
  await inGuest(pod, 'ip link set eth2 up; udhcpc -f -q -n -t 5 -T 1 -i eth2');
  expect(await inGuest(pod, 'ip -4 address show dev eth2')).toMatch(/inet 192\.168\.77\.\d+\/24/);
  expect(condition(await getVm(ns, 'bridged'), 'RestartRequired')).toBeUndefined();

  await change('bridged', { interfaces: [...interfaces, { ...late, state: 'absent' }], networks: more });
  await eventually('the interface is gone from guest, status and pod', 60_000, async () => {
    const inStatus = await entryOf('bridged', 'late');
    const devices = await inGuest(pod, 'ls /sys/class/net');
    const links = await nodeLinks(pod);
    if (!inStatus && !devices.includes('eth2') && !links.includes(plugged.podInterfaceName ?? '?')) return true;
    throw new Error(`status ${JSON.stringify(inStatus)}; guest ${devices}; pod ${links}`);
  });
  // The others have not noticed.
  await reaches(pod, '192.168.50.2');
}, 180_000);

/** Names of the interfaces in a pod. */
const nodeLinks = async (pod: PodObject): Promise<string> =>
  kubectl('-n', ns, 'exec', pod.metadata.name, '-c', 'compute', '--', 'sh', '-c', 'ls /sys/class/net');

test('the network outlives virt-handler, which finds it as it left it', async () => {
  const pod = podOf('bridged');
  const before = await entryOf('bridged', 'default');
  const onNode = `--field-selector=spec.nodeName=${pod.spec.nodeName}`;
  await kubectl('-n', 'yagura', 'delete', 'pod', '-l', 'kubevirt.io=virt-handler', onNode, '--grace-period=1');
  await reaches(pod, '192.168.50.2');
  await kubectl('-n', 'yagura', 'rollout', 'status', 'daemonset/virt-handler', '--timeout=60s');
  expect(await entryOf('bridged', 'default')).toEqual(before);
  expect(condition(await getVmi(ns, 'bridged'), 'Synchronized')).toBeUndefined();
});

test('a network that is not defined is missed by its name', async () => {
  const vmi = tinyVmi(ns, 'lost', { networks: [{ name: 'default', multus: { networkName: 'nowhere' } }] });
  vmi.spec.domain.devices.interfaces = [{ name: 'default', bridge: {} }];
  await apply(vmi);
  const message = 'network default needs NetworkAttachmentDefinition e2e-networks/nowhere, which does not exist';
  const missed = await eventually('its condition', 20_000, async () =>
    condition(await getVmi(ns, 'lost'), 'Synchronized'),
  );
  expect(missed).toMatchObject({ status: 'False', reason: 'FailedCreate', message: expect.stringContaining(message) });
  expect((await eventsOf(ns, 'lost')).map((event) => event.message).join()).toContain(message);
});
