import { type ClusterConfig, LABELS, type NodeCapabilities } from '@yagura/api';

const NAME_MAX = 63;

/** Prefixes of the labels that say what guests can be on a node; everything below them is ours. */
const PREFIXES = [
  LABELS.cpuModel,
  LABELS.cpuFeature,
  LABELS.cpuVendor,
  LABELS.hostModelCpu,
  LABELS.hostModelRequiredFeatures,
  LABELS.machineType,
  LABELS.obsoleteHostModel,
];

/** The CPU model of the node, where guests get it and the cluster calls it obsolete. */
export function obsoleteHostModel(
  { kvm }: NodeCapabilities,
  { useEmulation, obsoleteCpuModels }: Pick<ClusterConfig, 'useEmulation' | 'obsoleteCpuModels'>,
): string | undefined {
  const model = useEmulation ? undefined : kvm?.hostModel;
  return model !== undefined && obsoleteCpuModels.has(model) ? model : undefined;
}

/** What the node should be labelled with: CPUs, features and machine types that a guest can have there now. */
export function capabilityLabels(
  capabilities: NodeCapabilities,
  config: Pick<ClusterConfig, 'useEmulation' | 'emulatedMachines' | 'obsoleteCpuModels'>,
): Record<string, string> {
  const { machineTypes, emulated, kvm } = capabilities;
  const { useEmulation, emulatedMachines, obsoleteCpuModels } = config;
  const cpu = useEmulation ? emulated : kvm;
  const usable = (type: string) => emulatedMachines.some((pattern) => matches(type, pattern));
  const labels = [
    ...machineTypes.filter(usable).map((type) => LABELS.machineType + type),
    ...(cpu?.models ?? []).filter((model) => !obsoleteCpuModels.has(model)).map((model) => LABELS.cpuModel + model),
    ...(cpu?.features ?? []).map((feature) => LABELS.cpuFeature + feature),
    ...(cpu?.vendor ? [LABELS.cpuVendor + cpu.vendor] : []),
    // Under emulation a guest gets no model of the host.
    ...(!useEmulation && cpu?.hostModel ? [LABELS.hostModelCpu + cpu.hostModel] : []),
    ...(useEmulation ? [] : (cpu?.features ?? []).map((feature) => LABELS.hostModelRequiredFeatures + feature)),
    ...(obsoleteHostModel(capabilities, config) === undefined ? [] : [LABELS.obsoleteHostModel]),
  ];
  return Object.fromEntries(labels.filter(isLabel).map((label) => [label, 'true']));
}

/** The labels to write: those wanted, and null for what is there and not wanted any more. */
export function labelChanges(
  present: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const stale = Object.keys(present).filter(
    (key) => !(key in wanted) && PREFIXES.some((prefix) => key.startsWith(prefix)),
  );
  return { ...wanted, ...Object.fromEntries(stale.map((key) => [key, null])) };
}

function matches(text: string, pattern: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}

/** A name that a label cannot have cannot be selected either. */
function isLabel(label: string): boolean {
  const name = label.slice(label.indexOf('/') + 1);
  return name.length <= NAME_MAX && /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(name);
}
