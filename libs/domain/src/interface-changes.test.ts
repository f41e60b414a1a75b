import type { VirtualMachineInstance } from '@yagura/api';
import { type InterfaceChange, interfaceChanges } from './interface-changes.ts';

type Interfaces = NonNullable<VirtualMachineInstance['spec']['domain']['devices']['interfaces']>;

const live = (name: string, link = '') => `<interface type='ethernet'>
  <mac address='52:54:00:00:00:0${name.length}'/><target dev='tap0' managed='no'/><model type='e1000e'/>${link}
  <alias name='ua-${name}'/><address type='pci' domain='0x0000' bus='0x02' slot='0x00' function='0x0'/></interface>`;
const domain = (...nics: string[]) => `<domain><devices><emulator>qemu</emulator>${nics.join('')}</devices></domain>`;

function changes(xml: string, interfaces: Interfaces, taps: string[] = []): InterfaceChange[] {
  const spec = { domain: { cpu: { cores: 2 }, devices: { interfaces } } };
  const options = { accelerator: 'tcg' as const, interfaces: taps.map((name) => ({ name, tapDevice: `tap-${name}` })) };
  return interfaceChanges(xml, spec, options);
}
const kinds = (of: InterfaceChange[]) => of.map(({ name, kind }) => `${kind} ${name}`);

test.each<[what: string, xml: string, interfaces: Interfaces, taps: string[], expected: string[]]>([
  ['nothing where all is as it should be', domain(live('a')), [{ name: 'a', masquerade: {} }], ['a'], []],
  ['nothing for one whose network the pod lacks', domain(live('a')), [{ name: 'a' }, { name: 'b' }], ['a'], []],
  ['plugs in what has a tap', domain(live('a')), [{ name: 'a' }, { name: 'b' }], ['a', 'b'], ['attach b']],
  [
    'plugs out what is absent',
    domain(live('a'), live('bb')),
    [{ name: 'a' }, { name: 'bb', state: 'absent' }],
    ['a'],
    ['detach bb'],
  ],
  ['nothing for what is absent already', domain(live('a')), [{ name: 'a' }, { name: 'b', state: 'absent' }], ['a'], []],
  ['takes a link down', domain(live('a')), [{ name: 'a', state: 'down' }], ['a'], ['update a']],
  ['takes a link up', domain(live('a', '<link state="down"/>')), [{ name: 'a', state: 'up' }], ['a'], ['update a']],
  ['leaves alone what the spec does not name', domain(live('a'), live('bb')), [{ name: 'a' }], ['a'], []],
])('the interfaces of a running domain: %s', (_, xml, interfaces, taps, expected) => {
  expect(kinds(changes(xml, interfaces, taps))).toEqual(expected);
});

test('an update is the device as it is, but for its link', () => {
  const [update] = changes(domain(live('a')), [{ name: 'a', state: 'down' }]);
  expect(update?.xml).toBe(`<interface type="ethernet">
  <mac address="52:54:00:00:00:01"/>
  <target dev="tap0" managed="no"/>
  <model type="e1000e"/>
  <alias name="ua-a"/>
  <address type="pci" domain="0x0000" bus="0x02" slot="0x00" function="0x0"/>
  <link state="down"/>
</interface>
`);
});

test('a NIC that is plugged in is what it would be at a start', () => {
  const [attach] = changes(domain(), [{ name: 'b', bridge: {} }], ['b']);
  expect(attach?.xml).toBe(`<interface type="ethernet">
  <target dev="tap-b" managed="no"/>
  <model type="virtio-non-transitional"/>
  <rom enabled="no"/>
  <alias name="ua-b"/>
</interface>
`);
});
