import { Counter, createRegistry, Histogram, type Registry } from '@yagura/runtime/metrics';
import { WEBHOOK_PATHS } from './admission/webhooks.ts';
import { SUBRESOURCES } from './subresources/table.ts';

export interface ApiMetrics {
  registry: Registry;
  served(request: { method: string; path: string; status: number; seconds: number }): void;
  /** A VirtualMachine was admitted for creation (not as a dry run). */
  vmCreated(namespace: string): void;
}

export function apiMetrics(): ApiMetrics {
  const registry = createRegistry();
  const created = new Counter({
    name: 'kubevirt_vm_created_by_pod_total',
    help: 'VirtualMachines admitted for creation by this virt-api.',
    labelNames: ['namespace'],
    registers: [registry],
  });
  const requests = new Counter({
    name: 'yagura_api_requests_total',
    help: 'Requests answered, by what they were for.',
    labelNames: ['method', 'endpoint', 'code'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'yagura_api_request_duration_seconds',
    help: 'Time to answer a request.',
    labelNames: ['endpoint'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  return {
    registry,
    served: ({ method, path, status, seconds }) => {
      const endpoint = endpointOf(path);
      requests.inc({ method, endpoint, code: String(status) });
      duration.observe({ endpoint }, seconds);
    },
    vmCreated: (namespace) => created.inc({ namespace }),
  };
}

const SUBRESOURCE_PATHS = new Set<string>(SUBRESOURCES.map(({ resource, name }) => `${resource}/${name}`));

/** The subresource, the webhook's path, or what else: a bounded set, whatever paths are asked for. */
export function endpointOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const subresource = `${parts[5] ?? ''}/${parts[7] ?? ''}`;
  if (parts[0] === 'apis') return SUBRESOURCE_PATHS.has(subresource) ? subresource : 'discovery';
  if (parts[0] === 'openapi') return 'openapi';
  return WEBHOOK_PATHS.has(path) ? path.slice(1) : 'other';
}
