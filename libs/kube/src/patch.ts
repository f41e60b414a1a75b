export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move'; from: string; path: string }
  | { op: 'copy'; from: string; path: string };

export type Patch =
  | { type: 'json'; body: readonly JsonPatchOperation[] }
  | { type: 'merge'; body: object }
  | { type: 'strategic'; body: object }
  /** Server-side apply; give `fieldManager` in the options of the call. */
  | { type: 'apply'; body: object; force?: boolean };

export const patchContentType: Record<Patch['type'], string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** A JSON pointer of its parts: `/` and `~` in them are escaped. */
export function jsonPointer(...parts: (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Makes a lost race fail with 409 Conflict: the API server checks a resourceVersion that a patch sets. */
export function atVersion(resourceVersion: string): JsonPatchOperation {
  return { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion };
}
