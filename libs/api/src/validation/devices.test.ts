import { causes, D, devices, domain } from './testing/causes.ts';

const features = (of: object) => ({ domain: domain({ features: of }) });
const firmware = (of: object, more: object = {}) => ({ domain: domain({ firmware: of }), ...more });
const clock = (of: object) => ({ domain: domain({ clock: of }) });
const hyperv = (of: object) => features({ hyperv: of });
const H = 'spec.domain.features.hyperv';
const C = 'spec.domain.clock';
const F = 'spec.domain.firmware';

test.each<[string, object, string]>([
  [
    'an input on a bus that is none',
    devices({ inputs: [{ name: 'a', type: 'tablet', bus: 'ps2' }] }),
    `NotSupported ${D}.inputs[0].bus`,
  ],
  [
    'two inputs of one name',
    devices({
      inputs: [
        { name: 'a', type: 'tablet' },
        { name: 'a', type: 'tablet' },
      ],
    }),
    `Duplicate ${D}.inputs[1].name`,
  ],
  [
    'a watchdog of another architecture',
    devices({ watchdog: { name: 'w', diag288: {} } }),
    `Invalid ${D}.watchdog.diag288`,
  ],
  ['sound without a name', devices({ sound: { name: '' } }), `Required ${D}.sound.name`],
  ['an unknown sound device', devices({ sound: { name: 's', model: 'sb16' } }), `NotSupported ${D}.sound.model`],
  ['an unknown video device', devices({ video: { type: 'qxl' } }), `NotSupported ${D}.video.type`],
  [
    'video without graphics',
    devices({ video: { type: 'vga' }, autoattachGraphicsDevice: false }),
    `Invalid ${D}.video`,
  ],
  ['an unknown panic device', devices({ panicDevices: [{ model: 'x' }] }), `NotSupported ${D}.panicDevices[0].model`],
  ['a GPU of no kind', devices({ gpus: [{ name: 'g' }] }), `Required ${D}.gpus[0]`],
  ['a GPU by two ways', devices({ gpus: [{ name: 'g', deviceName: 'a/b', claimName: 'c' }] }), `Invalid ${D}.gpus[0]`],
  [
    'a host device without a name',
    devices({ hostDevices: [{ name: '', deviceName: 'a/b' }] }),
    `Required ${D}.hostDevices[0].name`,
  ],
  [
    'a GPU and a host device of one name',
    devices({ gpus: [{ name: 'g', deviceName: 'a/b' }], hostDevices: [{ name: 'g', deviceName: 'a/c' }] }),
    `Duplicate ${D}.hostDevices[0].name`,
  ],
  [
    'a filesystem without its volume',
    devices({ filesystems: [{ name: 'f', virtiofs: {} }] }),
    `Invalid ${D}.filesystems[0].name`,
  ],
  [
    'two filesystems of one name',
    devices({
      filesystems: [
        { name: 'f', virtiofs: {} },
        { name: 'f', virtiofs: {} },
      ],
    }),
    `Duplicate ${D}.filesystems[1].name`,
  ],
  ['EFI and BIOS', firmware({ bootloader: { efi: {}, bios: {} } }), `Invalid ${F}.bootloader`],
  ['an ACPI table of nowhere', firmware({ acpi: { slicNameRef: 'x' } }), `Invalid ${F}.acpi.slicNameRef`],
  [
    'an ACPI table of what is no secret',
    firmware({ acpi: { msdmNameRef: 'x' } }, { volumes: [{ name: 'x', emptyDisk: { capacity: '1Gi' } }] }),
    `Invalid ${F}.acpi.msdmNameRef`,
  ],
  ['an enlightenment whose base is off', hyperv({ synic: {}, vpindex: { enabled: false } }), `Invalid ${H}.synic`],
  ['timers whose base is off', hyperv({ synictimer: {}, synic: { enabled: false } }), `Invalid ${H}.synictimer`],
  ['too few spinlock retries', hyperv({ spinlocks: { spinlocks: 10 } }), `Invalid ${H}.spinlocks.spinlocks`],
  ['a long vendor', hyperv({ vendorid: { vendorid: 'thirteen char' } }), `Invalid ${H}.vendorid.vendorid`],
  [
    'enlightenments beside those of the host',
    features({ hyperv: { relaxed: {} }, hypervPassthrough: {} }),
    'Invalid spec.domain.features.hypervPassthrough',
  ],
  ['two clocks', clock({ utc: {}, timezone: 'UTC' }), `Invalid ${C}`],
  [
    'a tick policy that is none',
    clock({ timer: { hpet: { tickPolicy: 'x' } } }),
    `NotSupported ${C}.timer.hpet.tickPolicy`,
  ],
  [
    'a tick policy of another timer',
    clock({ timer: { pit: { tickPolicy: 'merge' } } }),
    `NotSupported ${C}.timer.pit.tickPolicy`,
  ],
  [
    'an RTC that discards',
    clock({ timer: { rtc: { tickPolicy: 'discard' } } }),
    `NotSupported ${C}.timer.rtc.tickPolicy`,
  ],
  ['an RTC that follows nothing', clock({ timer: { rtc: { track: 'x' } } }), `NotSupported ${C}.timer.rtc.track`],
  ['a control character', firmware({ serial: 'a\u0001' }), `Invalid ${F}.serial`],
  ['half of a character', { domain: domain({ chassis: { asset: '\ud800' } }) }, 'Invalid spec.domain.chassis.asset'],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test('secure boot with SMM, the ordinary way', () => {
  expect(causes({ domain: domain({ features: { smm: {} }, firmware: { bootloader: { efi: {} } } }) })).toEqual([]);
});
