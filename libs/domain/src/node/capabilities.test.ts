import { parseCpuCapabilities, parseMachineTypes } from './capabilities.ts';

test('machine types are those of x86-64, with their aliases', () => {
  const xml = `<capabilities><host/>
    <guest><os_type>hvm</os_type><arch name='i686'><machine>isapc</machine></arch></guest>
    <guest><os_type>hvm</os_type><arch name='x86_64'>
      <machine canonical='pc-q35-10.0' maxCpus='4096'>q35</machine><machine maxCpus='4096'>pc-q35-10.0</machine>
      <domain type='qemu'/>
    </arch></guest></capabilities>`;
  expect(parseMachineTypes(xml)).toEqual(['pc-q35-10.0', 'q35']);
});

test('models are those that can be used, features those of the host’s model', () => {
  const xml = `<domainCapabilities><cpu>
    <mode name='host-passthrough' supported='yes'/>
    <mode name='host-model' supported='yes'>
      <model fallback='forbid'>EPYC-Rome</model><vendor>AMD</vendor>
      <feature policy='require' name='x2apic'/>
    </mode>
    <mode name='custom' supported='yes'>
      <model usable='yes' vendor='unknown'>qemu64</model><model usable='no' vendor='Intel'>Skylake-Client</model>
    </mode></cpu></domainCapabilities>`;
  const baseline = `<cpu mode='custom' match='exact'><model fallback='forbid'>EPYC-Rome</model>
    <feature policy='require' name='x2apic'/><feature policy='require' name='aes'/><feature policy='disable' name='svm'/>
    </cpu>`;
  expect(parseCpuCapabilities(xml, baseline)).toEqual({
    models: ['qemu64'],
    hostModel: 'EPYC-Rome',
    vendor: 'AMD',
    features: ['aes', 'x2apic'],
  });
  expect(parseCpuCapabilities('<domainCapabilities/>', '<cpu/>')).toEqual({ models: [], features: [] });
});
