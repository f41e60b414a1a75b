import { parseDomainXml, plugMemoryXml } from './index.ts';

const GIB = 1024n ** 3n;

// As libvirt tells of a running domain: with the whole device counted as memory.
const domain = (device = '', memory = 1024) => `<domain type='qemu'>
  <name>demo</name>
  <maxMemory slots='1' unit='KiB'>4194304</maxMemory>
  <memory unit='KiB'>${memory * 1024}</memory>
  <devices>${device}</devices>
</domain>`;
const DEVICE = `<memory model='dimm'><target><size unit='KiB'>1</size></target></memory>
<memory model='virtio-mem'>
  <target>
    <size unit='KiB'>3145728</size><node>0</node><block unit='KiB'>2048</block>
    <requested unit='KiB'>1048576</requested><current unit='KiB'>524288</current>
  </target>
  <alias name='virtiomem0'/>
  <address type='pci' domain='0x0000' bus='0x07' slot='0x00' function='0x0'/>
</memory>`;

test('a domain tells what it was started with, what it may have, is to have and has', () => {
  expect(parseDomainXml(domain()).memory).toEqual({
    bootBytes: GIB,
    maxBytes: 4n * GIB,
    requestedBytes: GIB,
    currentBytes: GIB,
  });
  expect(parseDomainXml(domain(DEVICE, 4096)).memory).toEqual({
    bootBytes: GIB,
    maxBytes: 4n * GIB,
    requestedBytes: 2n * GIB,
    currentBytes: GIB + GIB / 2n,
  });
});

test('the first memory comes with a device that has room for all', () => {
  const { kind, xml } = plugMemoryXml(domain(), GIB, 3n * GIB);
  expect(kind).toBe('attach');
  expect(xml).toBe(`<memory model="virtio-mem">
  <target>
    <size unit="b">3221225472</size>
    <node>0</node>
    <block unit="b">2097152</block>
    <requested unit="b">1073741824</requested>
  </target>
</memory>
`);
});

test('more is requested of the device that is there, with nothing else changed', () => {
  const { kind, xml } = plugMemoryXml(domain(DEVICE, 4096), 3n * GIB, 3n * GIB);
  expect(kind).toBe('update');
  expect(xml).toBe(`<memory model="virtio-mem">
  <target>
    <size unit="KiB">3145728</size>
    <node>0</node>
    <block unit="KiB">2048</block>
    <requested unit="b">3221225472</requested>
    <current unit="KiB">524288</current>
  </target>
  <alias name="virtiomem0"/>
  <address type="pci" domain="0x0000" bus="0x07" slot="0x00" function="0x0"/>
</memory>
`);
});
