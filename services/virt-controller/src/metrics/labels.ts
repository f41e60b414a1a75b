import type { SeriesLabels } from '@yagura/runtime/metrics';

/** What the author of a virtual machine says that it is; annotations of templates as dashboards know them. */
export function systemLabels(annotations: Readonly<Record<string, string>> = {}): SeriesLabels {
  return {
    os: annotations['vm.kubevirt.io/os'],
    workload: annotations['vm.kubevirt.io/workload'],
    flavor: annotations['vm.kubevirt.io/flavor'],
  };
}
