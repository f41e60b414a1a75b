import type { FeaturesModel } from '../model.ts';
import { TCG_TB_CACHE_MEBIBYTES } from '../tcg.ts';
import type { DomainSpec } from '../vmi.ts';
import { hypervModel } from './hyperv.ts';

export function featuresModel(domain: DomainSpec, accelerator: 'kvm' | 'tcg'): FeaturesModel {
  const features = domain.features ?? {};
  const endOfInterrupt = features.apic?.endOfInterrupt;
  return {
    acpi: features.acpi?.enabled !== false,
    apic:
      features.apic === undefined || features.apic.enabled === false
        ? undefined
        : { eoi: endOfInterrupt === undefined ? undefined : onOff(endOfInterrupt) },
    smm: features.smm !== undefined && features.smm.enabled !== false,
    kvmHidden: features.kvm?.hidden === true,
    pvspinlock: features.pvspinlock === undefined ? undefined : onOff(features.pvspinlock.enabled !== false),
    hyperv: hypervModel(features),
    tcgTbCacheMebibytes: accelerator === 'tcg' ? TCG_TB_CACHE_MEBIBYTES : undefined,
  };
}

function onOff(value: boolean): 'on' | 'off' {
  return value ? 'on' : 'off';
}
