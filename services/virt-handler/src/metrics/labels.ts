import type { VirtualMachineInstance } from '@yagura/api';
import type { SeriesLabels } from '@yagura/runtime/metrics';

/** Where an instance is and what it is called. */
export function instanceLabels(vmi: VirtualMachineInstance, node: string): SeriesLabels {
  return { node, namespace: vmi.metadata.namespace, name: vmi.metadata.name };
}

/** The instance's own labels: `example.org/role` is the label `kubernetes_vmi_label_example_org_role` of a series. */
export function ownLabels(vmi: VirtualMachineInstance): SeriesLabels {
  return Object.fromEntries(
    Object.entries(vmi.metadata.labels ?? {}).map(([key, value]) => [
      `kubernetes_vmi_label_${key.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`,
      value,
    ]),
  );
}
