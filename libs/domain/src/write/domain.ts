import type { DomainModel, EfiModel } from '../model.ts';
import { type Element, element, textElement } from '../xml/element.ts';
import { writeXml } from '../xml/write.ts';
import { devicesElement } from './devices.ts';
import { hypervElement } from './hyperv.ts';
import { metadataElement } from './metadata.ts';

/** libvirt's domain XML of a model: the same text for the same model. */
export function buildDomainXml(model: DomainModel): string {
  return writeXml(domainElement(model));
}

function domainElement(model: DomainModel): Element {
  return element('domain', { type: model.type }, [
    textElement('name', model.name),
    model.uuid === undefined ? undefined : textElement('uuid', model.uuid),
    metadataElement(model.metadata),
    maxMemoryElement(model),
    element('memory', { unit: 'b' }, [String(model.memoryBytes)]),
    memoryBacking(model),
    vcpuElement(model),
    model.ioThreads === 0 ? undefined : textElement('iothreads', model.ioThreads),
    osElement(model),
    sysinfoElement(model),
    featuresElement(model),
    cpuElement(model),
    clockElement(model),
    textElement('on_reboot', model.onReboot),
    devicesElement(model.devices),
  ]);
}

/** Whole sockets may be plugged in later: libvirt has the first CPUs of the topology there at the start. */
function vcpuElement({ vcpus, cpu }: DomainModel): Element {
  const most = cpu.topology.sockets * cpu.topology.cores * cpu.topology.threads;
  return element('vcpu', { placement: 'static', current: most === vcpus ? undefined : vcpus }, [String(most)]);
}

/** QEMU has room for no memory that comes later without a slot, though a virtio-mem device takes none. */
function maxMemoryElement({ maxMemoryBytes }: DomainModel): Element | undefined {
  return maxMemoryBytes === undefined
    ? undefined
    : element('maxMemory', { slots: 1, unit: 'b' }, [String(maxMemoryBytes)]);
}

/** Huge pages come from the kernel without a mount of hugetlbfs. */
function memoryBacking({ hugepageBytes }: DomainModel): Element | undefined {
  if (hugepageBytes === undefined) return undefined;
  return element('memoryBacking', {}, [
    element('hugepages', {}, [element('page', { size: hugepageBytes, unit: 'b' })]),
    element('source', { type: 'memfd' }),
  ]);
}

function osElement({ os, sysinfo }: DomainModel): Element {
  return element('os', {}, [
    element('type', { arch: 'x86_64', machine: os.machine }, ['hvm']),
    ...(os.efi === undefined ? [] : efiElements(os.efi)),
    os.kernel === undefined ? undefined : textElement('kernel', os.kernel.path),
    os.kernel?.initrdPath === undefined ? undefined : textElement('initrd', os.kernel.initrdPath),
    os.kernel?.commandLine === undefined ? undefined : textElement('cmdline', os.kernel.commandLine),
    os.biosUseSerial ? element('bios', { useserial: 'yes' }) : undefined,
    sysinfo.system.length + sysinfo.chassis.length === 0 ? undefined : element('smbios', { mode: 'sysinfo' }),
  ]);
}

function efiElements({ secure, loader, template, variables }: EfiModel): Element[] {
  return [
    element('loader', { readonly: 'yes', secure: secure ? 'yes' : 'no', type: 'pflash' }, [loader]),
    element('nvram', { template }, [variables]),
  ];
}

function sysinfoElement({ sysinfo }: DomainModel): Element | undefined {
  const tables = (['system', 'chassis'] as const).flatMap((name) => {
    const entries = sysinfo[name].map(([key, value]) => element('entry', { name: key }, [value]));
    return entries.length === 0 ? [] : [element(name, {}, entries)];
  });
  return tables.length === 0 ? undefined : element('sysinfo', { type: 'smbios' }, tables);
}

function featuresElement({ features }: DomainModel): Element {
  return element('features', {}, [
    features.acpi ? element('acpi') : undefined,
    features.apic === undefined ? undefined : element('apic', { eoi: features.apic.eoi }),
    hypervElement(features.hyperv),
    features.smm ? element('smm', { state: 'on' }) : undefined,
    features.kvmHidden ? element('kvm', {}, [element('hidden', { state: 'on' })]) : undefined,
    features.pvspinlock === undefined ? undefined : element('pvspinlock', { state: features.pvspinlock }),
    features.tcgTbCacheMebibytes === undefined
      ? undefined
      : element('tcg', {}, [element('tb-cache', { unit: 'MiB' }, [String(features.tcgTbCacheMebibytes)])]),
  ]);
}

function cpuElement({ cpu, memoryBytes, maxMemoryBytes }: DomainModel): Element {
  const { sockets, cores, threads } = cpu.topology;
  const named = cpu.model === undefined ? [] : [element('model', { fallback: 'allow' }, [cpu.model])];
  return element('cpu', { mode: cpu.mode, match: cpu.mode === 'custom' ? 'exact' : undefined, check: cpu.check }, [
    ...named,
    element('topology', { sockets, cores, threads }),
    ...cpu.features.map(({ name, policy }) => element('feature', { policy, name })),
    maxMemoryBytes === undefined ? undefined : numaElement(sockets * cores * threads, memoryBytes),
  ]);
}

/** Memory is plugged into a node; libvirt before 9.6 adds none by itself. */
function numaElement(cpus: number, memoryBytes: bigint): Element {
  const cell = { id: 0, cpus: cpus === 1 ? '0' : `0-${cpus - 1}`, memory: memoryBytes, unit: 'b' };
  return element('numa', {}, [element('cell', cell)]);
}

function clockElement({ clock }: DomainModel): Element | undefined {
  if (clock === undefined) return undefined;
  const timers = clock.timers.map(({ name, present, tickPolicy, track }) =>
    element('timer', { name, track, tickpolicy: tickPolicy, present }),
  );
  const basis = clock.offset === 'variable' ? 'utc' : undefined;
  const attributes = { offset: clock.offset, adjustment: clock.adjustmentSeconds, basis, timezone: clock.timezone };
  return element('clock', attributes, timers);
}
