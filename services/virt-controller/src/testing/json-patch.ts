import type { JsonPatchOperation } from '@yagura/kube';

/** Applies a patch to a copy, as the API server does. */
export function applyJsonPatch<T>(object: T, operations: readonly JsonPatchOperation[]): T {
  const root = { root: structuredClone(object) as unknown };
  for (const operation of operations) {
    const path = ['root', ...operation.path.split('/').slice(1)].map((part) =>
      part.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    const last = path.pop() ?? '';
    let parent: unknown = root;
    for (const part of path) parent = (parent as Record<string, unknown>)[part];
    if (parent === undefined || parent === null) throw new Error(`no ${operation.path} to ${operation.op}`);
    if (operation.op === 'move' || operation.op === 'copy') throw new Error(`${operation.op} is not needed here`);
    if (Array.isArray(parent)) changeList(parent as unknown[], last, operation);
    else changeObject(parent as Record<string, unknown>, last, operation);
  }
  return root.root as T;
}

type Change = Exclude<JsonPatchOperation, { op: 'move' } | { op: 'copy' }>;

function changeList(list: unknown[], last: string, operation: Change): void {
  const index = last === '-' ? list.length : Number(last);
  if (operation.op === 'remove') list.splice(index, 1);
  else if (operation.op === 'add') list.splice(index, 0, operation.value);
  else if (operation.op === 'replace') list[index] = operation.value;
}

function changeObject(object: Record<string, unknown>, last: string, operation: Change): void {
  if (operation.op === 'remove') delete object[last];
  else if (operation.op !== 'test') object[last] = operation.value;
}
