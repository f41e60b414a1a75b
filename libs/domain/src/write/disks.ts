import type { DiskModel, ImageModel, VirtioModel } from '../model.ts';
import { userAlias } from '../names.ts';
import { type Element, element, textElement } from '../xml/element.ts';

export function diskElement(disk: DiskModel, virtioModel: VirtioModel): Element {
  const model = disk.bus === 'virtio' ? virtioModel : undefined;
  const type = disk.source === undefined || disk.source.block ? 'block' : 'file';
  return element('disk', { type, device: disk.device, model }, [
    driver(disk),
    disk.source && source(disk.source),
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
    disk.pciAddress && element('address', { type: 'pci', ...disk.pciAddress }),
    disk.scsiUnit === undefined
      ? undefined
      : element('address', { type: 'drive', controller: 0, bus: 0, target: 0, unit: disk.scsiUnit }),
  ]);
}

function driver({ ioThreads, ...disk }: DiskModel): Element {
  const [first, ...others] = ioThreads;
  const attributes = {
    name: 'qemu',
    type: disk.source?.format ?? 'raw',
    cache: disk.cache,
    error_policy: disk.errorPolicy,
    io: disk.io,
    discard: disk.discard,
    queues: disk.queues,
    iothread: others.length === 0 ? first : undefined,
  };
  const pool =
    others.length === 0
      ? []
      : [
          element(
            'iothreads',
            {},
            ioThreads.map((id) => element('iothread', { id })),
          ),
        ];
  return element('driver', attributes, pool);
}

function source(image: ImageModel): Element {
  return element('source', image.block ? { dev: image.file } : { file: image.file });
}

/** Ends the chain explicitly, so that libvirt never follows what a guest image claims to be based on. */
function backingStore(backing: ImageModel): Element {
  return element('backingStore', { type: backing.block ? 'block' : 'file' }, [
    element('format', { type: backing.format }),
    source(backing),
    element('backingStore'),
  ]);
}
