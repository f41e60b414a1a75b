import type { DiskModel, ImageModel, VirtioModel } from '../model.ts';
import { userAlias } from '../names.ts';
import { type Element, element, textElement } from '../xml/element.ts';

export function diskElement(disk: DiskModel, virtioModel: VirtioModel): Element {
  const model = disk.bus === 'virtio' ? virtioModel : undefined;
  return element('disk', { type: 'file', device: disk.device, model }, [
    element('driver', {
      name: 'qemu',
      type: disk.source.format,
      cache: disk.cache,
      error_policy: disk.errorPolicy,
      io: disk.io,
      discard: disk.discard,
      queues: disk.queues,
    }),
    element('source', { file: disk.source.file }),
    disk.backing === undefined ? undefined : backingStore(disk.backing),
    element('target', { dev: disk.target, bus: disk.bus, tray: disk.tray }),
    disk.blockSize === undefined
      ? undefined
      : element('blockio', {
          logical_block_size: disk.blockSize.logical,
          physical_block_size: disk.blockSize.physical,
        }),
    disk.readonly ? element('readonly') : undefined,
    disk.shareable ? element('shareable') : undefined,
    disk.serial === undefined ? undefined : textElement('serial', disk.serial),
    disk.bootOrder === undefined ? undefined : element('boot', { order: disk.bootOrder }),
    element('alias', { name: userAlias(disk.name) }),
  ]);
}

/** Ends the chain explicitly, so that libvirt never follows what a guest image claims to be based on. */
function backingStore(backing: ImageModel): Element {
  return element('backingStore', { type: 'file' }, [
    element('format', { type: backing.format }),
    element('source', { file: backing.file }),
    element('backingStore'),
  ]);
}
