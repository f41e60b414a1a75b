import { Gauge, type Registry, registerFamilies } from '@yagura/runtime/metrics';
import type { VmiCollector } from './collector.ts';
import type { VmiCounters } from './counters.ts';
import { VMI_FAMILIES } from './families.ts';

export interface HandlerState {
  version: string;
  ready: () => boolean;
}

/** Puts what virt-handler says of instances and of itself into the registry that is scraped. */
export function registerMetrics(
  registry: Registry,
  collector: Pick<VmiCollector, 'read'>,
  counters: VmiCounters,
  state: HandlerState,
): void {
  const registers = [registry];
  registerFamilies(registry, VMI_FAMILIES, async () => [...(await collector.read()), ...counters.series()]);
  new Gauge({
    name: 'kubevirt_virt_handler_ready_status',
    help: 'Whether this virt-handler is ready to serve requests.',
    registers,
    collect() {
      this.set(Number(state.ready()));
    },
  });
  new Gauge({
    name: 'kubevirt_info',
    help: 'Version of this virt-handler, and of the language runtime that it runs on.',
    labelNames: ['goversion', 'kubeversion'],
    registers,
  }).set({ goversion: `node ${process.version}`, kubeversion: state.version }, 1);
}
