import fc from 'fast-check';
import { type MergeInput, mergeInterfaces } from './merge.ts';
import type { GuestInterfaceView } from './types.ts';

const mac = '02:11:22:33:44:55';
const nic = { name: 'default', mac, queues: 1, linkState: 'up' };
const eth0: GuestInterfaceView = { name: 'eth0', mac, addresses: ['10.0.2.2', 'fe80::1'] };
const base: MergeInput = {
  intents: [{ name: 'default', binding: 'masquerade', network: 'pod' }],
  podIPs: ['10.244.0.7'],
  domain: [nic],
  guest: undefined,
  previous: [{ name: 'default', podInterfaceName: 'eth0' }],
};
const primary = {
  name: 'default',
  mac,
  ipAddress: '10.244.0.7',
  ipAddresses: ['10.244.0.7'],
  podInterfaceName: 'eth0',
  queueCount: 1,
  linkState: 'up',
};
const withAgent = { ...primary, interfaceName: 'eth0', infoSource: 'domain, guest-agent' };

test('before the agent answers the interface is the domain’s, with the pod’s address', () => {
  expect(mergeInterfaces(base)).toEqual([{ ...primary, infoSource: 'domain' }]);
});

test('a masquerade interface keeps the pod’s address whatever the guest calls itself', () => {
  expect(mergeInterfaces({ ...base, guest: [{ name: 'lo', addresses: ['127.0.0.1'] }, eth0] })).toEqual([withAgent]);
});

test('an agent that reports no address takes none away', () => {
  expect(mergeInterfaces({ ...base, guest: [{ ...eth0, addresses: [] }] })).toEqual([withAgent]);
});

test('a bridge in the guest with the MAC of its NIC does not hide the NIC, whatever the order and case', () => {
  const bridge = { name: 'br0', mac: mac.toUpperCase(), addresses: ['192.168.9.1'] };
  expect(mergeInterfaces({ ...base, guest: [bridge, eth0] })).toEqual([withAgent]);
});

test('a launcher that has no word of the agent yet takes away nothing of what was shown', () => {
  const shown = [
    withAgent,
    { interfaceName: 'docker0', mac: '02:42:00:00:00:01', infoSource: 'guest-agent', queueCount: 0 },
  ];
  expect(mergeInterfaces({ ...base, previous: shown })).toEqual(shown);
});

test('what only the agent knows is appended without a name, ten at most', () => {
  const extra = Array.from({ length: 12 }, (_, i) => ({
    name: `dummy${i}`,
    mac: `02:00:00:00:01:${i + 10}`,
    addresses: [],
  }));
  const merged = mergeInterfaces({ ...base, guest: [...extra, eth0] });
  expect(merged).toHaveLength(11);
  expect(merged[0]).toEqual(withAgent);
  expect(merged[1]).toEqual({
    interfaceName: 'dummy0',
    mac: '02:00:00:00:01:10',
    infoSource: 'guest-agent',
    queueCount: 0,
  });
});

test('a secondary bridge interface takes the agent’s addresses, IPv4 first, and keeps its Multus source', () => {
  const second = { name: 'blue', mac: '02:00:00:00:00:99', queues: 0, linkState: '' };
  const input: MergeInput = {
    ...base,
    intents: [...base.intents, { name: 'blue', binding: 'bridge', network: 'multus' }],
    domain: [second, nic],
    guest: [eth0, { name: 'eth1', mac: second.mac, addresses: ['fd00::5', '192.168.1.5'] }],
    previous: [...base.previous, { name: 'blue', podInterfaceName: 'pod123', infoSource: 'multus-status' }],
  };
  expect(mergeInterfaces(input)).toEqual([
    withAgent,
    {
      name: 'blue',
      mac: second.mac,
      ipAddress: '192.168.1.5',
      ipAddresses: ['192.168.1.5', 'fd00::5'],
      podInterfaceName: 'pod123',
      interfaceName: 'eth1',
      infoSource: 'domain, guest-agent, multus-status',
      queueCount: 1,
      linkState: 'up',
    },
  ]);
});

test('a network that only the controller knows yet stays, and the primary comes first', () => {
  const input: MergeInput = {
    ...base,
    intents: [{ name: 'blue', binding: 'bridge', network: 'multus' }, ...base.intents],
    domain: [],
    previous: [{ name: 'blue', infoSource: 'multus-status', podInterfaceName: 'pod1' }, { name: 'default' }],
  };
  expect(mergeInterfaces(input)).toEqual([
    { name: 'default' },
    { name: 'blue', infoSource: 'multus-status', podInterfaceName: 'pod1' },
  ]);
});

test('merging what was merged changes nothing, and the primary never loses the pod’s address', () => {
  const guestNic = fc.record({
    name: fc.constantFrom('lo', 'eth0', 'br0', 'eth0.5', 'dummy0'),
    mac: fc.constantFrom(mac, '02:00:00:00:00:77'),
    addresses: fc.array(fc.constantFrom('10.0.2.2', 'fe80::1', '192.168.0.1')),
  });
  fc.assert(
    fc.property(fc.option(fc.array(guestNic), { nil: undefined }), (guest) => {
      const once = mergeInterfaces({ ...base, guest });
      expect(once[0]?.ipAddress).toBe('10.244.0.7');
      expect(mergeInterfaces({ ...base, guest, previous: once })).toEqual(once);
    }),
  );
});

test('whatever the agent tells of two NICs, one look after the other: each NIC once, and no address is lost', () => {
  const blue = { name: 'blue', mac: '02:00:00:00:00:99', queues: 1, linkState: 'up' };
  const intents: MergeInput['intents'] = [...base.intents, { name: 'blue', binding: 'bridge', network: 'multus' }];
  const guestNic = fc.record({
    name: fc.constantFrom('lo', 'eth0', 'eth1', 'br0', 'eth1.5'),
    mac: fc.constantFrom(mac, blue.mac, blue.mac.toUpperCase(), '02:00:00:00:00:77'),
    addresses: fc.subarray(['10.0.2.2', '192.168.0.1', 'fd00::1']),
  });
  const look = fc.option(fc.array(guestNic), { nil: undefined });
  const sources = fc.constantFrom(undefined, 'multus-status');
  fc.assert(
    fc.property(fc.array(look, { minLength: 1, maxLength: 4 }), sources, (looks, infoSource) => {
      let previous: MergeInput['previous'] = [
        ...base.previous,
        ...(infoSource ? [{ name: 'blue', infoSource, podInterfaceName: 'pod1' }] : []),
      ];
      for (const guest of looks) {
        const had = previous.find(({ name }) => name === 'blue')?.ipAddress;
        const input = { ...base, intents, domain: [nic, blue], guest, previous };
        const merged = mergeInterfaces(input);
        const named = merged.flatMap(({ name }) => name ?? []);
        expect(named).toEqual(['default', 'blue']);
        const macs = merged.filter(({ name }) => name).map((entry) => entry.mac);
        expect(merged.filter((entry) => !entry.name && macs.includes(entry.mac))).toEqual([]);
        expect(merged[0]?.ipAddress).toBe('10.244.0.7');
        if (had) expect(merged[1]?.ipAddress).toBeDefined();
        expect(merged[1]?.infoSource?.endsWith('multus-status')).toBe(infoSource !== undefined);
        expect(mergeInterfaces({ ...input, previous: merged })).toEqual(merged);
        previous = merged;
      }
    }),
  );
});
