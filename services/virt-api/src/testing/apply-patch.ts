import type { JsonPatchOperation } from '@yagura/kube';

type Used = Exclude<JsonPatchOperation, { op: 'move' } | { op: 'copy' }>;

/** Applies the part of RFC 6902 that the webhooks use, to a copy. */
export function applyPatch<T extends object>(document: T, operations: readonly JsonPatchOperation[]): T {
  const holder = { root: JSON.parse(JSON.stringify(document)) as unknown };
  for (const operation of operations as readonly Used[]) {
    const tokens = operation.path.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = tokens.pop() ?? '';
    let parent: unknown = holder;
    for (const token of ['root', ...tokens.slice(1)]) parent = (parent as Record<string, unknown>)[token];
    if (Array.isArray(parent)) changeList(parent, last, operation);
    else changeObject(parent as Record<string, unknown>, last, operation);
  }
  return holder.root as T;
}

function changeList(list: unknown[], last: string, operation: Used): void {
  if (operation.op === 'remove') list.splice(Number(last), 1);
  else if (operation.op === 'add') list.splice(last === '-' ? list.length : Number(last), 0, operation.value);
  else list[Number(last)] = operation.value;
}

/** Defined, not assigned: a member may be called `__proto__`. */
function changeObject(object: Record<string, unknown>, last: string, operation: Used): void {
  if (operation.op === 'remove') delete object[last];
  else {
    Object.defineProperty(object, last, {
      value: operation.value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
}
