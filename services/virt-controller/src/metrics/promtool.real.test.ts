import { promtoolProblems } from '@yagura/runtime/testing';
import { running, world } from '../testing/metrics.ts';

test('Prometheus reads what virt-controller exports, and finds no fault but in names that are KubeVirt’s', async () => {
  const { registry, changed } = world(true);
  changed({ type: 'updated', old: { ...running, status: { phase: 'Scheduled' } }, object: running });
  const text = await registry.metrics();
  expect(text).toContain('kubevirt_vm_info{');
  // Names that dashboards know, however much better ones there are.
  const known = /^kubevirt_(vm_\w+_status_last_transition_timestamp_seconds|vmi_phase_count) /;
  expect(promtoolProblems(text).filter((line) => !known.test(line))).toEqual([]);
});
