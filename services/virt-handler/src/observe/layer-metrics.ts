import { isFinal } from '@yagura/api';
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
  instances: Pick<Instances, 'all'>,
  reports: LayerReports,
  now: () => Date = () => new Date(),
): void {
  const labelNames = ['namespace', 'name', 'node', 'layer'];
  const signs = function* () {
    const at = now();
    for (const instance of instances.all()) {
      if (isFinal(instance.vmi)) continue;
      const { namespace = '', name } = instance.vmi.metadata;
      const samples = reports.samples(instance, at);
      for (const [layer, field] of Object.entries(SIGNS)) {
        const sample = samples.find((candidate) => candidate.layer === layer && candidate.field === field);
        yield { labels: { namespace, name, node: nodeName, layer }, sample, at };
      }
    }
  };
  new Gauge({
    name: 'yagura_vmi_layer_up',
    help: 'Whether a layer of a virtual machine instance answers: 1 or 0.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, sample, at } of signs()) {
        this.set(labels, sample !== undefined && observe(sample, at).freshness === 'live' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'yagura_vmi_layer_age_seconds',
    help: 'Seconds since a layer of a virtual machine instance last gave a sign of life; absent when it never did.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, sample, at } of signs()) {
        if (sample?.observedAt) this.set(labels, (at.getTime() - sample.observedAt.getTime()) / 1000);
      }
    },
  });
}
