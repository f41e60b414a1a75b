import type { KubeClient } from '@yagura/kube';

/** Requests by `VERB resource`, as the API server counts them. */
export type RequestCounts = Map<string, number>;

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'APPLY']);

export function parseRequestTotals(metrics: string): RequestCounts {
  const counts: RequestCounts = new Map();
  for (const line of metrics.split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue;
    const label = (name: string): string => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? '';
    const subresource = label('subresource');
    const key = `${label('verb')} ${label('resource')}${subresource === '' ? '' : `/${subresource}`}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)));
  }
  return counts;
}

export async function requestTotals(client: KubeClient): Promise<RequestCounts> {
  return parseRequestTotals(await client.request<string>({ path: '/metrics' }));
}

/** What was written between two readings, by verb and resource; what did not move is left out. */
export function writesBetween(before: RequestCounts, after: RequestCounts): RequestCounts {
  const writes: RequestCounts = new Map();
  for (const [key, count] of after) {
    const delta = count - (before.get(key) ?? 0);
    if (delta > 0 && WRITES.has(key.split(' ')[0] ?? '')) writes.set(key, delta);
  }
  return writes;
}

/** Writes per item beyond what an idle cluster writes in the same time. */
export function perItem(writes: RequestCounts, idle: RequestCounts, timeRatio: number, items: number): RequestCounts {
  const result: RequestCounts = new Map();
  for (const [key, count] of writes) {
    const own = (count - (idle.get(key) ?? 0) * timeRatio) / items;
    if (own > 0.05) result.set(key, own);
  }
  return result;
}

export const total = (counts: RequestCounts, wanted: (key: string) => boolean): number =>
  [...counts].reduce((sum, [key, count]) => sum + (wanted(key) ? count : 0), 0);
