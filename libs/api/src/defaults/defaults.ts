import { ANNOTATIONS, PCI_TOPOLOGY_VERSION } from '../annotations.ts';
import type { ClusterConfig } from '../config.ts';
import { FINALIZERS } from '../finalizers.ts';
import { cpuTopology, guestMemoryQuantity } from '../guest-size.ts';
import { LAUNCHER_UID } from '../names.ts';
import { withPhase } from '../phases.ts';
import type {
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
  VirtualMachineInstanceStatus,
} from '../types.ts';
import { defaultSpec } from './spec.ts';

/** What the defaults take from the world. */
export interface DefaultsSource {
  /** A new random UUID. */
  uuid: () => string;
  /** RFC 3339 time. */
  now: () => string;
}

/**
 * A new instance as it is to be stored: spec complete, finalizer set, status at its beginning. Whoever creates
 * instances without passing the webhook (virt-controller) applies this itself.
 */
export function defaultVirtualMachineInstance(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  source: DefaultsSource,
): VirtualMachineInstance {
  const spec = defaultSpec(vmi.spec, config, source.uuid);
  const finalizers = vmi.metadata.finalizers ?? [];
  return {
    ...vmi,
    metadata: {
      ...vmi.metadata,
      annotations: { [ANNOTATIONS.pciTopologyVersion]: PCI_TOPOLOGY_VERSION, ...vmi.metadata.annotations },
      finalizers: finalizers.includes(FINALIZERS.vmi) ? finalizers : [...finalizers, FINALIZERS.vmi],
    },
    spec,
    status: initialStatus(spec, source.now()),
  };
}

function initialStatus(spec: VirtualMachineInstanceSpec, now: string): VirtualMachineInstanceStatus {
  const memory = guestMemoryQuantity(spec);
  const { sockets, cores, threads } = cpuTopology(spec);
  const status: VirtualMachineInstanceStatus = {
    runtimeUser: LAUNCHER_UID,
    currentCPUTopology: { sockets, cores, threads },
    ...(memory === undefined ? {} : { memory: { guestAtBoot: memory, guestRequested: memory, guestCurrent: memory } }),
  };
  return withPhase(status, 'Pending', now);
}

/**
 * A virtual machine with what must stay the same from start to start fixed on it: machine type, architecture, and the
 * identity the guest sees. The rest is decided anew for each instance.
 * @param old what is stored, for an update: a manifest that says nothing about the identity does not change it
 */
export function defaultVirtualMachine(
  vm: VirtualMachine,
  config: ClusterConfig,
  source: Pick<DefaultsSource, 'uuid'>,
  old?: VirtualMachine,
): VirtualMachine {
  const { template } = vm.spec;
  const { domain } = template.spec;
  const { machine, firmware } = domain;
  const before = old?.spec.template.spec;
  return {
    ...vm,
    spec: {
      ...vm.spec,
      template: {
        ...template,
        spec: {
          ...template.spec,
          architecture: template.spec.architecture || before?.architecture || config.defaultArchitecture,
          domain: {
            ...domain,
            machine: { ...machine, type: machine?.type || before?.domain.machine?.type || config.machineType },
            firmware: {
              ...firmware,
              uuid: firmware?.uuid || before?.domain.firmware?.uuid || source.uuid(),
              serial: firmware?.serial || before?.domain.firmware?.serial || source.uuid(),
            },
          },
        },
      },
    },
  };
}

/**
 * An updated instance with the status it had: without a status subresource anyone who may write the object could write
 * its status, and that is for the product alone.
 */
export function withStatusOf(vmi: VirtualMachineInstance, old: VirtualMachineInstance): VirtualMachineInstance {
  const { status: _, ...rest } = vmi;
  return { ...rest, ...(old.status ? { status: old.status } : {}) };
}
