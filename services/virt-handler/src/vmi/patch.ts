import { isDeepStrictEqual } from 'node:util';
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '@yagura/api';
import { type JsonPatchOperation, jsonPointer } from '@yagura/kube';

/**
 * The patch from the status that was read to the one that is wanted, whole field by whole field. What was read of each
 * is tested first: a field that somebody else wrote meanwhile fails the patch, any other field does not.
 * Undefined when nothing differs.
 */
export function statusPatch(
  vmi: VirtualMachineInstance,
  after: VirtualMachineInstanceStatus,
): JsonPatchOperation[] | undefined {
  if (vmi.status === undefined) return [{ op: 'add', path: '/status', value: after }];
  const before = vmi.status as Record<string, unknown>;
  const wanted = after as Record<string, unknown>;
  const changed = [...new Set([...Object.keys(before), ...Object.keys(wanted)])].filter(
    (key) => !isDeepStrictEqual(before[key], wanted[key]),
  );
  if (changed.length === 0) return undefined;
  // The phase decides who owns the status, so it must be the one that the decision was made on.
  const tested = [...new Set(['phase', ...changed])].filter((key) => before[key] !== undefined);
  return [
    ...tested.map((key): JsonPatchOperation => ({ op: 'test', path: jsonPointer('status', key), value: before[key] })),
    ...changed.map((key): JsonPatchOperation => {
      const path = jsonPointer('status', key);
      if (wanted[key] === undefined) return { op: 'remove', path };
      return { op: before[key] === undefined ? 'add' : 'replace', path, value: wanted[key] };
    }),
  ];
}
