import { causes, D, devices, domain } from './testing/causes.ts';

test.each<[string, object, string]>([
  [
    'a directory of the launcher',
    { volumes: [{ name: 'a', containerPath: { path: '/c' } }] },
    'spec.volumes[0].containerPath',
  ],
  [
    'EFI with variables that last',
    { domain: domain({ firmware: { bootloader: { efi: { secureBoot: false, persistent: true } } } }) },
    'spec.domain.firmware.bootloader.efi.persistent',
  ],
  ['a TPM with a state that lasts', devices({ tpm: { persistent: true } }), `${D}.tpm.persistent`],
  ['a GPU', devices({ gpus: [{ name: 'g', deviceName: 'example.com/gpu' }] }), `${D}.gpus`],
  ['another architecture', { architecture: 'arm64' }, 'spec.architecture'],
  [
    'pinned CPUs',
    { domain: domain({ cpu: { dedicatedCpuPlacement: true } }) },
    'spec.domain.cpu.dedicatedCpuPlacement',
  ],
])('%s is refused by its name', (_, spec, field) => {
  expect(causes(spec)).toEqual([`NotSupported ${field}`]);
});

test.each<[string, object]>([
  ['a harmless word', { domain: domain({ memory: { guest: '128Mi', reservedOverhead: { memLock: 'NotRequired' } } }) }],
  ['what is switched off', devices({ logSerialConsole: false, gpus: [], tpm: { enabled: false } })],
  ['an empty list', { accessCredentials: [] }],
])('%s asks for nothing and is accepted', (_, spec) => {
  expect(causes(spec)).toEqual([]);
});
