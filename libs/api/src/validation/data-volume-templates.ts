import type { VirtualMachine } from '../types.ts';
import { isDnsSubdomain } from './names.ts';
import type { Report } from './report.ts';

type Template = NonNullable<VirtualMachine['spec']['dataVolumeTemplates']>[number];

/** DataVolumes that are made with the machine: complete as far as this API knows them, and used by it. */
export function validateDataVolumeTemplates({ spec }: VirtualMachine, report: Report): void {
  const templates = spec.dataVolumeTemplates ?? [];
  templates.forEach((template, index) => {
    const field = `spec.dataVolumeTemplates[${index}]`;
    const { name } = template.metadata;
    if (!name) report.required(`${field}.metadata.name`, 'is missing: volumes refer to the DataVolume by it');
    else if (!isDnsSubdomain(name)) {
      report.invalid(`${field}.metadata.name`, `is "${name}", which is not the name of an object`);
    }
    validateSpec(template, `${field}.spec`, report);
    const used = (spec.template?.spec.volumes ?? []).some(
      ({ dataVolume, persistentVolumeClaim }) => dataVolume?.name === name || persistentVolumeClaim?.claimName === name,
    );
    if (name && !used) {
      report.invalid(field, `"${name}" is used by no volume: refer to it in spec.template.spec.volumes, or remove it`);
    }
  });
  report.unique(
    templates.map(({ metadata }, index) => ({
      field: `spec.dataVolumeTemplates[${index}].metadata.name`,
      value: metadata.name,
    })),
    'name',
  );
}

function validateSpec({ spec, metadata }: Template, field: string, report: Report): void {
  report.exactlyOne(field, spec, ['pvc', 'storage']);
  const { source, sourceRef } = spec;
  const populated = metadata.annotations?.['cdi.kubevirt.io/storage.usePopulator'] === 'true' && dataSourceOf(spec);
  if (!source && !sourceRef && !populated) {
    report.required(field, 'has no source: set source, sourceRef, or a dataSource of the claim');
  }
  if (source && sourceRef) report.invalid(field, 'is source and sourceRef at once; choose one');
  const kinds = typeof source === 'object' && source !== null ? Object.keys(source) : [];
  if (source && kinds.length !== 1) {
    report.invalid(`${field}.source`, `has ${kinds.length} sources; exactly one is possible, such as blank or http`);
  }
}

/** A claim that something other than CDI fills. */
function dataSourceOf(spec: Template['spec']): boolean {
  return [spec['pvc'], spec['storage']].some(
    (claim) => typeof claim === 'object' && claim !== null && ('dataSource' in claim || 'dataSourceRef' in claim),
  );
}
