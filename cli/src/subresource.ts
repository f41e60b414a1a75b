import type { KubeClient } from '@yagura/kube';
import type { Target } from './target.ts';

export type Resource = 'virtualmachines' | 'virtualmachineinstances';

export function subresourcePath(resource: Resource, target: Target, subresource: string): string {
  const { namespace, name } = target;
  return `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/${subresource}`;
}

/** GET of a subresource, as JSON. */
export async function getSubresource<T>(
  client: KubeClient,
  resource: Resource,
  target: Target,
  subresource: string,
  signal?: AbortSignal,
  timeoutMs?: number,
): Promise<T> {
  const path = subresourcePath(resource, target, subresource);
  return client.request<T>({ path, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, signal);
}

/** PUT of a subresource with its options. */
export async function putSubresource(
  client: KubeClient,
  resource: Resource,
  target: Target,
  subresource: string,
  options: object,
  signal?: AbortSignal,
): Promise<void> {
  const path = subresourcePath(resource, target, subresource);
  await client.request({ method: 'PUT', path, body: options }, signal);
}
