import type { ReconcileOutcome } from '@yagura/kube';
import { Counter, createRegistry, Gauge, Histogram, type Registry } from '@yagura/runtime/metrics';

const OUTCOMES: readonly ReconcileOutcome[] = ['success', 'requeue_after', 'conflict', 'error', 'terminal'];

export interface ControllerMetrics {
  registry: Registry;
  observe: (controller: string, outcome: ReconcileOutcome, seconds: number) => void;
}

export function createMetrics(
  controllers: readonly string[],
  state: { leading: () => boolean; ready: () => boolean; droppedEvents: () => number },
): ControllerMetrics {
  const registry = createRegistry();
  const registers = [registry];
  const total = new Counter({
    name: 'yagura_controller_reconcile_total',
    help: 'Reconciles by controller and result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  // Series that exist from the start: a rate over a series that appears with its first error misses that error.
  for (const controller of controllers) for (const result of OUTCOMES) total.inc({ controller, result }, 0);
  const duration = new Histogram({
    name: 'yagura_controller_reconcile_duration_seconds',
    help: 'Time of one reconcile.',
    labelNames: ['controller'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers,
  });
  const flag = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  flag('kubevirt_virt_controller_leading_status', 'Whether this virt-controller leads.', () => Number(state.leading()));
  flag('kubevirt_virt_controller_ready_status', 'Whether this virt-controller is ready to lead.', () =>
    Number(state.ready()),
  );
  flag('yagura_controller_events_dropped', 'Events not written since the start.', state.droppedEvents);
  return {
    registry,
    observe(controller, result, seconds) {
      total.inc({ controller, result });
      duration.observe({ controller }, seconds);
    },
  };
}
