import { jsonPatch } from '@yagura/api';
import { atVersion, type KubeClient, type KubeObject, type ObjectName, type Resource } from '@yagura/kube';

/** Writes what differs, if anything does; a conflict when somebody wrote since `before` was read. Answers the stored object. */
export async function patchObject<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  before: T,
  after: T,
  options: { subresource?: string },
  signal: AbortSignal,
): Promise<T | undefined> {
  const operations = jsonPatch(before, after);
  const { namespace, name, resourceVersion } = before.metadata ?? {};
  if (operations.length === 0 || !name || !resourceVersion) return undefined;
  const target: ObjectName = { name, ...(namespace ? { namespace } : {}) };
  return client.patch(
    resource,
    target,
    { type: 'json', body: [atVersion(resourceVersion), ...operations] },
    options,
    signal,
  );
}
