import { causes, D, devices, domain } from './testing/causes.ts';

test.each<[string, object, string]>([
  [
    'a claim',
    { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'c' } }] },
    'spec.volumes[0].persistentVolumeClaim',
  ],
  [
    'EFI',
    { domain: domain({ firmware: { bootloader: { efi: { secureBoot: false } } } }) },
    'spec.domain.firmware.bootloader.efi',
  ],
  ['a TPM', devices({ tpm: {} }), `${D}.tpm`],
  ['a GPU', devices({ gpus: [{ name: 'g', deviceName: 'example.com/gpu' }] }), `${D}.gpus`],
  ['another architecture', { architecture: 'arm64' }, 'spec.architecture'],
  ['an agent probe', { livenessProbe: { guestAgentPing: {} } }, 'spec.livenessProbe.guestAgentPing'],
  ['a reboot that ends the run', { domain: domain({ rebootPolicy: 'Terminate' }) }, 'spec.domain.rebootPolicy'],
  [
    'pinned CPUs',
    { domain: domain({ cpu: { dedicatedCpuPlacement: true } }) },
    'spec.domain.cpu.dedicatedCpuPlacement',
  ],
])('%s is refused by its name', (_, spec, field) => {
  expect(causes(spec)).toEqual([`NotSupported ${field}`]);
});

test.each<[string, object]>([
  ['a harmless word', { domain: domain({ rebootPolicy: 'Reboot' }) }],
  ['what is switched off', devices({ logSerialConsole: false, gpus: [], tpm: { enabled: false } })],
  ['an empty list', { accessCredentials: [] }],
])('%s asks for nothing and is accepted', (_, spec) => {
  expect(causes(spec)).toEqual([]);
});
