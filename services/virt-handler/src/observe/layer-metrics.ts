import { observe } from '@yagura/layers';
import { Gauge, type Registry } from '@yagura/runtime/metrics';
import type { Instances } from '../rest/instances.ts';
import type { LayerReports } from './layer-reports.ts';

/** The field that stands for a layer: while it is live, the layer is up. */
const SIGNS = { node: 'launcher.channel', domain: 'state', guest: 'agent.lastSuccess' } as const;

/** Series for each instance and layer, present also when the layer is down. */
export function registerLayerMetrics(
  registry: Registry,
  nodeName: string,
  instances: Instances,
  reports: LayerReports,
): void {
  const labelNames = ['namespace', 'name', 'node', 'layer'];
  const age = new Gauge({
    name: 'yagura_vmi_layer_age_seconds',
    help: 'Seconds since a layer of a virtual machine instance last gave a sign of life; absent when it never did.',
    labelNames,
    registers: [registry],
  });
  const up = new Gauge({
    name: 'yagura_vmi_layer_up',
    help: 'Whether a layer of a virtual machine instance answers: 1 or 0.',
    labelNames,
    registers: [registry],
    collect() {
      up.reset();
      age.reset();
      const now = new Date();
      for (const instance of instances.all()) {
        const { namespace = '', name } = instance.vmi.metadata;
        const samples = reports.samples(instance, now);
        for (const [layer, field] of Object.entries(SIGNS)) {
          const sample = samples.find((candidate) => candidate.layer === layer && candidate.field === field);
          const labels = { namespace, name, node: nodeName, layer };
          up.set(labels, sample !== undefined && observe(sample, now).freshness === 'live' ? 1 : 0);
          if (sample?.observedAt) age.set(labels, (now.getTime() - sample.observedAt.getTime()) / 1000);
        }
      }
    },
  });
}
