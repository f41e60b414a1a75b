import { isQuantity, quantityValue } from '../quantity.ts';
import type { CloudInitSource, VirtualMachineInstanceSpec, Volume } from '../types.ts';
import { IMAGE_PULL_POLICIES } from '../words.ts';
import { DNS_LABEL_RULE, isCleanAbsolutePath, isDnsLabel } from './names.ts';
import { list, type Report } from './report.ts';
import { validateReference } from './volume-references.ts';

const MAX_INLINE_BYTES = 2048;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function validateVolumes(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const volumes = spec.volumes ?? [];
  const path = `${at}.volumes`;
  report.unique(
    volumes.map(({ name }, index) => ({ field: `${path}[${index}].name`, value: name })),
    'name',
  );
  volumes.forEach((volume, index) => {
    const field = `${path}[${index}]`;
    if (!isDnsLabel(volume.name)) report.invalid(`${field}.name`, `is "${volume.name}"; it ${DNS_LABEL_RULE}`);
    validateSource(volume, field, report);
  });
  atMostOne(volumes, path, report);
}

function validateSource(volume: Volume, field: string, report: Report): void {
  const { name: _, ...sources } = volume;
  const given = Object.entries(sources).flatMap(([kind, source]) => (source === undefined ? [] : [kind]));
  if (given.length === 0)
    report.required(field, `has no source: "${volume.name}" must have exactly one, such as containerDisk`);
  if (given.length > 1)
    report.invalid(field, `has ${given.length} sources (${given.join(', ')}); exactly one is possible`);
  validateReference(volume, field, report);
  const { containerDisk, emptyDisk } = volume;
  if (containerDisk) {
    validateImage(containerDisk, `${field}.containerDisk`, report);
    if (containerDisk.path) validatePath(containerDisk.path, `${field}.containerDisk.path`, report);
  }
  if (emptyDisk) validateCapacity(emptyDisk.capacity, `${field}.emptyDisk.capacity`, report);
  for (const kind of ['cloudInitNoCloud', 'cloudInitConfigDrive'] as const) {
    const source = volume[kind];
    if (source) validateCloudInit(source, `${field}.${kind}`, report);
  }
}

/** Kinds of which a guest can have one: there is one identity, one metrics device, one dump at a time. */
function atMostOne(volumes: readonly Volume[], path: string, report: Report): void {
  for (const kind of ['serviceAccount', 'downwardMetrics', 'memoryDump'] as const) {
    const fields = volumes.flatMap((volume, index) => (volume[kind] ? [`${path}[${index}].${kind}`] : []));
    for (const field of fields.slice(1)) report.duplicate(field, `is a second ${kind}, which ${fields[0]} is already`);
  }
}

export function validateImage(
  source: { image: string; imagePullPolicy?: string },
  field: string,
  report: Report,
): void {
  if (!source.image) report.required(`${field}.image`, 'is empty');
  report.oneOf(`${field}.imagePullPolicy`, source.imagePullPolicy, IMAGE_PULL_POLICIES);
}

export function validatePath(path: string, field: string, report: Report): void {
  if (isCleanAbsolutePath(path)) return;
  report.invalid(field, `is "${path}"; it must be an absolute path of a file, without "." or ".."`);
}

function validateCapacity(capacity: string | number, field: string, report: Report): void {
  if (!isQuantity(capacity)) report.invalid(field, `is "${capacity}", which is not a quantity like 2Gi`);
  else if (quantityValue(capacity) <= 0n) report.invalid(field, `is ${capacity}; it must be above zero`);
}

function validateCloudInit(source: CloudInitSource, field: string, report: Report): void {
  const users = (['userData', 'userDataBase64', 'secretRef'] as const).filter((key) => source[key]);
  const networks = (['networkData', 'networkDataBase64', 'networkDataSecretRef'] as const).filter((key) => source[key]);
  if (users.length > 1) report.invalid(field, `has ${list(users).replace(' or ', ' and ')} at once; choose one`);
  if (networks.length > 1) report.invalid(field, `has ${list(networks).replace(' or ', ' and ')} at once; choose one`);
  if (users.length + networks.length === 0) {
    report.required(field, 'is empty: it needs userData, userDataBase64 or secretRef, or network data');
  }
  for (const key of ['secretRef', 'networkDataSecretRef'] as const) {
    if (source[key] && !source[key].name) report.required(`${field}.${key}.name`, 'is missing');
  }
  for (const key of ['userData', 'networkData'] as const) validateInline(source[key], `${field}.${key}`, report);
  for (const key of ['userDataBase64', 'networkDataBase64'] as const) {
    const text = source[key];
    if (text === undefined) continue;
    if (BASE64.test(text)) validateInline(text, `${field}.${key}`, report);
    else report.invalid(`${field}.${key}`, 'is not valid base64');
  }
}

function validateInline(text: string | undefined, field: string, report: Report): void {
  if (text === undefined) return;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_INLINE_BYTES) {
    report.invalid(field, `has ${bytes} bytes; at most ${MAX_INLINE_BYTES} are possible, put more into a Secret`);
  }
}
