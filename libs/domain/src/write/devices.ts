import { AGENT_CHANNEL } from '../guest-paths.ts';
import type { DevicesModel } from '../model.ts';
import { userAlias } from '../names.ts';
import { type Element, element } from '../xml/element.ts';
import { diskElement } from './disks.ts';
import { interfaceElement } from './interfaces.ts';

export function devicesElement(devices: DevicesModel): Element {
  return element('devices', {}, [
    ...devices.disks.map((disk) => diskElement(disk, devices.virtioModel)),
    ...controllers(devices),
    ...devices.interfaces.map(interfaceElement),
    ...serial(devices),
    agentChannel(devices.agentSocket),
    ...devices.inputs.map(({ name, bus }) =>
      element('input', { type: 'tablet', bus, model: bus === 'virtio' ? 'virtio' : undefined }, [alias(name)]),
    ),
    devices.tpm ? tpm() : undefined,
    ...graphics(devices),
    sound(devices),
    watchdog(devices),
    balloon(devices),
    rng(devices),
    ...devices.panics.map((model) => element('panic', { model })),
  ]);
}

function alias(name: string): Element {
  return element('alias', { name: userAlias(name) });
}

function controllers({ usb, scsi, virtioModel, rootPorts }: DevicesModel): Element[] {
  return [
    ...Array.from({ length: rootPorts }, (_, port) =>
      element('controller', { type: 'pci', index: port + 1, model: 'pcie-root-port' }),
    ),
    element('controller', { type: 'usb', index: 0, model: usb ? 'qemu-xhci' : 'none' }),
    ...(scsi ? [element('controller', { type: 'scsi', index: 0, model: virtioModel })] : []),
    element('controller', { type: 'virtio-serial', index: 0, model: virtioModel }),
  ];
}

function serial({ serialSocket: socket, serialLog }: DevicesModel): Element[] {
  if (socket === undefined) return [];
  const source = element('source', { mode: 'bind', path: socket });
  const log = serialLog === undefined ? undefined : element('log', { file: serialLog, append: 'on' });
  return [element('serial', { type: 'unix' }, [source, log, element('target', { port: 0 })])];
}

function agentChannel(socket: string): Element {
  const source = element('source', { mode: 'bind', path: socket });
  return element('channel', { type: 'unix' }, [source, element('target', { type: 'virtio', name: AGENT_CHANNEL })]);
}

function graphics({ vncSocket: socket, video }: DevicesModel): Element[] {
  if (socket === undefined || video === undefined) return [];
  return [
    element('graphics', { type: 'vnc' }, [element('listen', { type: 'socket', socket })]),
    element('video', {}, [element('model', { type: video.type, vram: video.vram, heads: 1 })]),
  ];
}

/** Emulated by swtpm, whose state is gone with the pod. */
function tpm(): Element {
  return element('tpm', { model: 'tpm-crb' }, [element('backend', { type: 'emulator', version: '2.0' })]);
}

function sound({ sound }: DevicesModel): Element | undefined {
  return sound && element('sound', { model: sound.model }, [alias(sound.name)]);
}

function watchdog({ watchdog }: DevicesModel): Element | undefined {
  if (watchdog === undefined) return undefined;
  return element('watchdog', { model: 'i6300esb', action: watchdog.action }, [alias(watchdog.name)]);
}

function balloon({ balloonStatsPeriodSeconds: period, virtioModel }: DevicesModel): Element {
  if (period === undefined) return element('memballoon', { model: 'none' });
  const stats = period === 0 ? undefined : element('stats', { period });
  return element('memballoon', { model: virtioModel, freePageReporting: 'on' }, [stats]);
}

function rng({ rng, virtioModel }: DevicesModel): Element | undefined {
  if (!rng) return undefined;
  return element('rng', { model: virtioModel }, [element('backend', { model: 'random' }, ['/dev/urandom'])]);
}
