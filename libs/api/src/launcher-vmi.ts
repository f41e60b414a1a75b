import type { VirtualMachineInstance } from './types.ts';

/**
 * A VirtualMachineInstance as the launcher's protobuf message takes it by `fromJson(…, { ignoreUnknownFields: true })`.
 *
 * The message has the names and the shape of the Kubernetes object, so nearly nothing is to be done: protobuf has no
 * "number or string", so quantities become strings, and seconds are 32 bits there (64-bit numbers are strings in
 * protobuf's JSON). `toJson` of the message is a Kubernetes object again.
 */
export function launcherVmi(vmi: VirtualMachineInstance): VirtualMachineInstance {
  const { status: _, ...rest } = vmi;
  let json = rest as unknown as Json;
  for (const path of QUANTITY_PATHS) json = change(json, path.split('.'), String);
  for (const path of SECONDS_PATHS) json = change(json, path.split('.'), clampInt32);
  return json as unknown as VirtualMachineInstance;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Where the part the launcher receives has quantities; `*` is any list index or map key. */
export const QUANTITY_PATHS: readonly string[] = [
  'spec.domain.memory.guest',
  'spec.domain.memory.maxGuest',
  'spec.domain.memory.reservedOverhead.addedOverhead',
  'spec.domain.resources.limits.*',
  'spec.domain.resources.requests.*',
  'spec.volumes.*.emptyDisk.capacity',
  'spec.volumes.*.hostDisk.capacity',
];

/** Where it has 64-bit numbers. */
export const SECONDS_PATHS: readonly string[] = [
  'metadata.deletionGracePeriodSeconds',
  'metadata.generation',
  'spec.terminationGracePeriodSeconds',
];

const INT32_MAX = 2 ** 31 - 1;

// 68 years, as seconds; longer than any guest will be waited for.
function clampInt32(value: Json): Json {
  return typeof value === 'number' ? Math.min(value, INT32_MAX) : value;
}

/** A copy of `value` with `edit` applied at the path; what is not on the path is shared. */
function change(value: Json, path: readonly string[], edit: (value: Json) => Json): Json {
  const [head, ...tail] = path;
  if (value === null || value === undefined) return value;
  if (head === undefined) return edit(value);
  if (Array.isArray(value)) return head === '*' ? value.map((item) => change(item, tail, edit)) : value;
  if (typeof value !== 'object') return value;
  const keys = head === '*' ? Object.keys(value) : head in value ? [head] : [];
  if (keys.length === 0) return value;
  const copy = { ...value };
  for (const key of keys) copy[key] = change(copy[key] as Json, tail, edit);
  return copy;
}
