import { gracePeriodSeconds, vcpus as vcpusOf } from '@yagura/api';
import { ConversionError } from '../errors.ts';
import type { DomainModel } from '../model.ts';
import { domainName } from '../names.ts';
import type { Vmi } from '../vmi.ts';
import { cpuModel, hugepageBytes, maxMemoryBytes, memoryBytes } from './compute.ts';
import { devicesModel } from './devices.ts';
import { featuresModel } from './features.ts';
import { osModel } from './firmware.ts';
import { ioThreadPlan } from './io-threads.ts';
import type { ConversionOptions } from './options.ts';
import { specHash } from './spec-hash.ts';
import { clockModel, systemTable } from './system.ts';
import { refuseUnsupported } from './unsupported.ts';

/** The domain that an instance asks for on this node. Throws ConversionError with the field that stands in the way. */
export function convert(vmi: Vmi, options: ConversionOptions): DomainModel {
  const { name, namespace, uid } = vmi.metadata ?? {};
  if (!name) throw new ConversionError('metadata.name', 'is missing');
  if (!namespace) throw new ConversionError('metadata.namespace', 'is missing');
  if (!uid) throw new ConversionError('metadata.uid', 'is missing');
  const spec = vmi.spec;
  const domain = spec?.domain;
  if (spec === undefined || domain === undefined) throw new ConversionError('spec.domain', 'is missing');
  refuseUnsupported(domain);
  const cpu = cpuModel(spec, options.accelerator);
  const vcpus = vcpusOf(spec);
  const uuid = domain.firmware?.uuid || uid;
  return {
    type: options.accelerator === 'kvm' ? 'kvm' : 'qemu',
    name: domainName(namespace, name),
    uuid,
    metadata: {
      uid,
      namespace,
      name,
      gracePeriodSeconds: gracePeriodSeconds(spec),
      specHash: specHash(vmi),
    },
    memoryBytes: memoryBytes(spec),
    maxMemoryBytes: maxMemoryBytes(spec),
    hugepageBytes: hugepageBytes(spec),
    vcpus,
    ioThreads: ioThreadPlan(spec, vcpus).count,
    cpu,
    os: osModel(domain, uid, options),
    sysinfo: systemTable(domain, uuid, options),
    features: featuresModel(domain, options.accelerator),
    clock: clockModel(domain),
    onReboot: domain.rebootPolicy === 'Terminate' ? 'destroy' : 'restart',
    devices: devicesModel(spec, uid, vcpus, options),
  };
}
