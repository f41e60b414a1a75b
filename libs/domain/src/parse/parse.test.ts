import { parseDomainXml, parseMetadataXml } from './parse.ts';

// The shape in which libvirt tells of a running domain: expanded, with aliases and states of its own.
const LIVE = `<domain type='qemu' id='1'>
  <name>default_demo</name>
  <uuid>11111111-2222-3333-4444-555555555555</uuid>
  <metadata>
    <kubevirt:kubevirt xmlns:kubevirt="http://kubevirt.io">
      <kubevirt:uid>u-1</kubevirt:uid>
      <kubevirt:namespace>default</kubevirt:namespace>
      <kubevirt:name>demo</kubevirt:name>
      <kubevirt:graceperiod><kubevirt:deletionGracePeriodSeconds>5</kubevirt:deletionGracePeriodSeconds></kubevirt:graceperiod>
      <kubevirt:specHash>abc</kubevirt:specHash>
    </kubevirt:kubevirt>
  </metadata>
  <currentMemory unit='KiB'>131072</currentMemory>
  <vcpu placement='static' current='2'>8</vcpu>
  <cpu mode='maximum'><topology sockets='4' dies='1' cores='2' threads='1'/></cpu>
  <os><type arch='x86_64' machine='pc-q35-7.2'>hvm</type></os>
  <devices>
    <disk type='file' device='disk'>
      <source file='/d/disk.qcow2' index='1'/><target dev='vda' bus='virtio'/><alias name='ua-root'/>
    </disk>
    <disk type='block' device='lun'><source dev='/dev/blk'/><target dev='sda' bus='scsi'/><alias name='scsi0-0-0-0'/></disk>
    <disk type='file' device='cdrom'><target dev='sdb' bus='sata'/><alias name='ua-empty'/></disk>
    <interface type='ethernet'>
      <mac address='52:54:00:aa:bb:cc'/><target dev='tap0' managed='no'/><model type='virtio-non-transitional'/>
      <driver name='vhost' queues='4'/><link state='down'/><alias name='ua-default'/>
    </interface>
    <interface type='ethernet'><mac address='52:54:00:00:00:01'/><model type='e1000e'/></interface>
    <channel type='unix'><target type='virtio' name='other' state='disconnected'/></channel>
    <channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0' state='connected'/></channel>
  </devices>
</domain>`;

describe('live domain XML', () => {
  test('tells identity, devices by their names in the spec, and the agent', () => {
    expect(parseDomainXml(LIVE)).toEqual({
      name: 'default_demo',
      uuid: '11111111-2222-3333-4444-555555555555',
      accelerator: 'tcg',
      metadata: { uid: 'u-1', namespace: 'default', name: 'demo', gracePeriodSeconds: 5, specHash: 'abc' },
      machineType: 'pc-q35-7.2',
      osType: 'hvm',
      cpus: { sockets: 1, cores: 2, threads: 1, maxSockets: 4 },
      memory: undefined,
      currentMemoryBytes: 134_217_728n,
      interfaces: [
        {
          name: 'default',
          macAddress: '52:54:00:aa:bb:cc',
          targetDevice: 'tap0',
          model: 'virtio-non-transitional',
          linkState: 'down',
          queues: 4,
        },
        {
          name: undefined,
          macAddress: '52:54:00:00:00:01',
          targetDevice: undefined,
          model: 'e1000e',
          linkState: 'up',
          queues: 1,
        },
      ],
      disks: [
        { name: 'root', alias: 'ua-root', target: 'vda', bus: 'virtio', source: '/d/disk.qcow2' },
        { name: undefined, alias: 'scsi0-0-0-0', target: 'sda', bus: 'scsi', source: '/dev/blk' },
        { name: 'empty', alias: 'ua-empty', target: 'sdb', bus: 'sata', source: undefined },
      ],
      agentChannel: 'connected',
    });
  });

  test('of a domain that somebody else defined has no metadata and an unknown agent', () => {
    expect(parseDomainXml("<domain type='xen'><name>x</name></domain>")).toMatchObject({
      accelerator: undefined,
      metadata: undefined,
      agentChannel: undefined,
      interfaces: [],
    });
  });

  test.each([
    '<kubevirt xmlns="http://kubevirt.io"><uid>u-1</uid><name>demo</name></kubevirt>',
    '<k:kubevirt xmlns:k="http://kubevirt.io"><k:uid>u-1</k:uid><k:name>demo</k:name></k:kubevirt>',
  ])('has metadata that can be read by itself: %s', (xml) => {
    expect(parseMetadataXml(xml)).toMatchObject({ uid: 'u-1', name: 'demo' });
  });

  test('of another namespace is no metadata of ours', () => {
    expect(parseMetadataXml('<x xmlns="http://example.org"/>')).toBeUndefined();
  });
});
