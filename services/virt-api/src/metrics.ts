import { Counter, createRegistry, Gauge, Histogram, type Registry } from '@yagura/runtime/metrics';
import { WEBHOOK_PATHS } from './admission/webhooks.ts';
import type { OnStream, StreamKind } from './streams/open-streams.ts';
import { SUBRESOURCES, type Subresource } from './subresources/table.ts';

export interface ApiMetrics {
  registry: Registry;
  served(request: { method: string; path: string; status: number; seconds: number }): void;
  /** A VirtualMachine was admitted for creation (not as a dry run). */
  vmCreated(namespace: string): void;
  streamOpened: OnStream;
}

const STREAM_GAUGES: Readonly<Record<StreamKind, string>> = {
  console: 'kubevirt_console_active_connections',
  vnc: 'kubevirt_vnc_active_connections',
  portforward: 'kubevirt_portforward_active_tunnels',
};

/** Instances whose last connection is remembered: nobody tells this process when one of them is gone. */
const LAST_CONNECTIONS = 1000;

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
  const open = Object.fromEntries(
    Object.entries(STREAM_GAUGES).map(([kind, name]) => {
      const help = `Streams of this kind (${kind}) that go through this virt-api, by virtual machine instance.`;
      return [kind, new Gauge({ name, help, labelNames: ['namespace', 'vmi'], registers: [registry] })];
    }),
  ) as Record<StreamKind, Gauge<'namespace' | 'vmi'>>;
  const lastConnection = new Gauge({
    name: 'kubevirt_vmi_last_api_connection_timestamp_seconds',
    help: 'When a console, VNC or port-forward of the virtual machine instance was last opened through this virt-api.',
    labelNames: ['namespace', 'vmi'],
    registers: [registry],
  });
  /** The one that was opened longest ago first. */
  const connected = new Map<string, { namespace: string; vmi: string }>();
  const connect = (labels: { namespace: string; vmi: string }): void => {
    const key = `${labels.namespace}/${labels.vmi}`;
    connected.delete(key);
    connected.set(key, labels);
    lastConnection.set(labels, Math.floor(Date.now() / 1000));
    const [oldest] = connected;
    if (connected.size <= LAST_CONNECTIONS || oldest === undefined) return;
    connected.delete(oldest[0]);
    lastConnection.remove(oldest[1]);
  };
  const counts = new Map<string, number>();
  return {
    registry,
    served: ({ method, path, status, seconds }) => {
      const endpoint = endpointOf(path);
      requests.inc({ method, endpoint, code: String(status) });
      duration.observe({ endpoint }, seconds);
    },
    vmCreated: (namespace) => created.inc({ namespace }),
    streamOpened: (kind, { namespace, name }) => {
      const labels = { namespace, vmi: name };
      const key = `${kind}/${namespace}/${name}`;
      const change = (by: number): void => {
        const count = (counts.get(key) ?? 0) + by;
        if (count > 0) {
          counts.set(key, count);
          open[kind].set(labels, count);
        } else {
          // A series for each instance that ever had a stream would stay for ever.
          counts.delete(key);
          open[kind].remove(labels);
        }
      };
      connect(labels);
      change(1);
      return () => change(-1);
    },
  };
}

const SUBRESOURCE_NAMES = (SUBRESOURCES as readonly Subresource[])
  .map(({ resource, name }) => `${resource}/${name}`)
  .sort((a, b) => b.length - a.length);

/** The subresource, the webhook's path, or what else: a bounded set, whatever paths are asked for. */
export function endpointOf(path: string): string {
  const [first, , , , , resource, , ...rest] = path.split('/').filter((part) => part !== '');
  const asked = `${resource ?? ''}/${rest.join('/')}`;
  if (first === 'apis')
    return SUBRESOURCE_NAMES.find((name) => asked === name || asked.startsWith(`${name}/`)) ?? 'discovery';
  if (first === 'openapi') return 'openapi';
  return WEBHOOK_PATHS.has(path) ? path.slice(1) : 'other';
}
