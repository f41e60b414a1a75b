import { cpuTopology } from '@yagura/api';
import { pluggedDiskModel } from './convert/disks.ts';
import type { DiskSource } from './convert/options.ts';
import type { LiveDisk } from './parse/parse.ts';
import type { VmiSpec } from './vmi.ts';
import { diskElement } from './write/disks.ts';
import { element } from './xml/element.ts';
import { writeXml } from './xml/write.ts';

/**
 * A disk of the spec as libvirt attaches it to a running domain. Throws ConversionError.
 * @param live the disks that the domain has
 */
export function pluggedDiskXml(spec: VmiSpec, name: string, source: DiskSource, live: readonly LiveDisk[]): string {
  const { sockets, cores, threads } = cpuTopology(spec);
  const used = live.map(({ target }) => target);
  const model = pluggedDiskModel(spec, name, source, sockets * cores * threads, used);
  const transitional = spec.domain.devices?.useVirtioTransitional === true;
  return writeXml(diskElement(model, transitional ? 'virtio-transitional' : 'virtio-non-transitional'));
}

/** As much of a disk as libvirt needs to find it. */
export function unpluggedDiskXml({ target, bus }: Pick<LiveDisk, 'target' | 'bus'>): string {
  return writeXml(element('disk', { type: 'file', device: 'disk' }, [element('target', { dev: target, bus })]));
}
