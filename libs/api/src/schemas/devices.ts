import type { Static } from 'typebox';
import { WATCHDOG_ACTIONS } from '../words.ts';
import { bool, list, marker, object, oneOf, str } from './build.ts';
import { DiskSchema, FilesystemSchema } from './disks.ts';
import { InterfaceSchema } from './networks.ts';

const claimRef = {
  claimName: str('Name of an entry of resourceClaims.'),
  requestName: str('Name of the request in the claim.'),
};

const InputSchema = object(
  'An input device.',
  { bus: oneOf('Bus; usb if unset.', ['usb', 'virtio']) },
  { name: str('Name of the device.'), type: oneOf('Kind of device.', ['tablet', 'keyboard']) },
);
export type Input = Static<typeof InputSchema>;

const watchdogAction = oneOf('What happens when the guest stops feeding it.', WATCHDOG_ACTIONS);

const WatchdogSchema = object(
  'A watchdog that acts when the guest hangs.',
  {
    i6300esb: object('The PCI watchdog of x86 machines.', { action: watchdogAction }),
    diag288: object('The watchdog of s390x machines.', { action: watchdogAction }),
  },
  { name: str('Name of the device.') },
);
export type Watchdog = Static<typeof WatchdogSchema>;

const GpuSchema = object(
  'A GPU passed to the guest.',
  {
    deviceName: str('Resource name of the device plugin.'),
    tag: str('Tag told to the guest by its metadata.'),
    virtualGPUOptions: object('Options of a mediated device.', {
      display: object('Display of the vGPU.', {
        enabled: bool('On if unset.'),
        ramFB: object('Boot framebuffer.', { enabled: bool('On if unset.') }),
      }),
    }),
    ...claimRef,
  },
  { name: str('Name of the device.') },
);

const HostDeviceSchema = object(
  'A device of the node passed to the guest.',
  {
    deviceName: str('Resource name of the device plugin.'),
    tag: str('Tag told to the guest by its metadata.'),
    ...claimRef,
  },
  { name: str('Name of the device.') },
);

export const DevicesSchema = object('Devices of the virtual machine.', {
  disks: list('Disks; each shows the volume of the same name to the guest.', DiskSchema, { maxItems: 256 }),
  interfaces: list('Network interfaces; each connects to the network of the same name.', InterfaceSchema, {
    maxItems: 256,
  }),
  inputs: list('Input devices.', InputSchema),
  filesystems: list('Volumes shared with the guest as filesystems.', FilesystemSchema),
  watchdog: WatchdogSchema,
  rng: marker('A virtio random number generator.'),
  gpus: list('GPUs.', GpuSchema),
  hostDevices: list('Devices of the node.', HostDeviceSchema),
  sound: object(
    'A sound device.',
    { model: oneOf('Model; ich9 if unset.', ['ich9', 'ac97']) },
    { name: str('Name of the device.') },
  ),
  tpm: object('An emulated TPM.', {
    enabled: bool('On if unset while tpm itself is given.'),
    persistent: bool('Keeps its state when the guest is stopped.'),
  }),
  video: object('Video device in place of the default one.', { type: str('Model, such as virtio or vga.') }),
  panicDevices: list(
    'Devices by which a guest reports a panic.',
    object('A panic device.', { model: oneOf('Model.', ['hyperv', 'isa', 'pvpanic']) }),
  ),
  clientPassthrough: marker('USB devices redirected from a client.'),
  useVirtioTransitional: bool('Gives virtio devices the transitional model, for old guests.'),
  disableHotplug: bool('Leaves out what is only there so that devices can be added later.'),
  blockMultiQueue: bool('Gives each virtio disk a queue per virtual CPU.'),
  networkInterfaceMultiqueue: bool('Gives each virtio interface a queue per virtual CPU.'),
  autoattachPodInterface: bool('Adds an interface on the pod network if no network is given; true if unset.'),
  autoattachGraphicsDevice: bool('Adds a video device and VNC; true if unset.'),
  autoattachSerialConsole: bool('Adds a serial console; true if unset.'),
  autoattachMemBalloon: bool('Adds a memory balloon, which memory statistics need; true if unset.'),
  autoattachInputDevice: bool('Adds an input device; false if unset.'),
  autoattachVSOCK: bool('Adds a VSOCK device; false if unset.'),
  logSerialConsole: bool('Keeps a log of the serial console.'),
  downwardMetrics: marker('A virtio-serial port with metrics of host and guest.'),
});
export type Devices = Static<typeof DevicesSchema>;
