import { isQuantity, quantityValue } from '../quantity.ts';
import type { Volume } from '../types.ts';
import { HOST_DISK_TYPES } from '../words.ts';
import { isCleanAbsolutePath, isDnsSubdomain } from './names.ts';
import type { Report } from './report.ts';

/** Sources that are somewhere else: other objects by their name, files of the node by their path. */
export function validateReference(volume: Volume, field: string, report: Report): void {
  for (const { at, name } of namesIn(volume)) {
    if (!name) report.required(`${field}.${at}`, 'is missing');
    else if (!isDnsSubdomain(name))
      report.invalid(`${field}.${at}`, `is "${name}", which is not the name of an object`);
  }
  if (volume.sysprep) {
    report.exactlyOne(`${field}.sysprep`, volume.sysprep, ['configMap', 'secret']);
  }
  validateHostDisk(volume, `${field}.hostDisk`, report);
  validateFields(volume, `${field}.downwardAPI`, report);
  const { containerPath } = volume;
  if (containerPath && !isCleanAbsolutePath(containerPath.path)) {
    report.invalid(
      `${field}.containerPath.path`,
      `is "${containerPath.path}"; it must be an absolute path, without "."`,
    );
  }
  const claimed = volume.ephemeral;
  if (claimed && !claimed.persistentVolumeClaim) {
    report.required(`${field}.ephemeral.persistentVolumeClaim`, 'is missing: name the claim below the overlay');
  }
}

/** Names of other objects that the source must give. */
function namesIn(volume: Volume): { at: string; name: string | undefined }[] {
  const { sysprep } = volume;
  const claim = volume.ephemeral?.persistentVolumeClaim;
  return [
    ...given('persistentVolumeClaim.claimName', volume.persistentVolumeClaim, (source) => source.claimName),
    ...given('ephemeral.persistentVolumeClaim.claimName', claim, (source) => source.claimName),
    ...given('memoryDump.claimName', volume.memoryDump, (source) => source.claimName),
    ...given('dataVolume.name', volume.dataVolume, (source) => source.name),
    ...given('configMap.name', volume.configMap, (source) => source.name),
    ...given('secret.secretName', volume.secret, (source) => source.secretName),
    ...given('serviceAccount.serviceAccountName', volume.serviceAccount, (source) => source.serviceAccountName),
    ...given('sysprep.configMap.name', sysprep?.configMap, (source) => source.name),
    ...given('sysprep.secret.name', sysprep?.secret, (source) => source.name),
  ];
}

function given<T>(at: string, source: T | undefined, name: (source: T) => string | undefined) {
  return source === undefined ? [] : [{ at, name: name(source) }];
}

function validateHostDisk({ hostDisk }: Volume, field: string, report: Report): void {
  if (!hostDisk) return;
  const { path, type, capacity } = hostDisk;
  if (!path) report.notFound(`${field}.path`, 'is required for a hostDisk: name the image on the node');
  else if (!isCleanAbsolutePath(path)) {
    report.invalid(`${field}.path`, `is "${path}"; it must be an absolute path of a file, without "." or ".."`);
  }
  if (!type) report.required(`${field}.type`, `is missing; choose ${HOST_DISK_TYPES.join(' or ')}`);
  report.oneOf(`${field}.type`, type, HOST_DISK_TYPES);
  if (capacity !== undefined && (!isQuantity(capacity) || quantityValue(capacity) <= 0n)) {
    report.invalid(`${field}.capacity`, `is "${capacity}"; it must be a quantity above zero, like 2Gi`);
  }
  if (type === 'DiskOrCreate' && capacity === undefined) {
    report.required(`${field}.capacity`, 'is missing: type DiskOrCreate needs to know how large the image is to be');
  } else if (type === 'Disk' && capacity !== undefined) {
    report.invalid(`${field}.capacity`, 'is only for type DiskOrCreate: an existing image has its size');
  }
}

function validateFields({ downwardAPI }: Volume, field: string, report: Report): void {
  const fields = downwardAPI?.fields ?? [];
  if (downwardAPI && fields.length === 0) report.required(`${field}.fields`, 'is empty; name at least one field');
  fields.forEach(({ path, fieldRef }, index) => {
    if (!isCleanAbsolutePath(`/${path}`)) {
      report.invalid(`${field}.fields[${index}].path`, `is "${path}"; it must be a relative path, without "." or ".."`);
    }
    if (!fieldRef?.fieldPath) report.required(`${field}.fields[${index}].fieldRef.fieldPath`, 'is missing');
  });
  report.unique(
    fields.map(({ path }, index) => ({ field: `${field}.fields[${index}].path`, value: path })),
    'path',
  );
}
