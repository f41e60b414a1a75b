import { createHash } from 'node:crypto';
import { ANNOTATIONS } from '../annotations.ts';
import type { ClusterConfig } from '../config.ts';
import { type DefaultsSource, defaultVirtualMachineInstance } from '../defaults/defaults.ts';
import { withRoomToGrow } from '../defaults/hotplug.ts';
import { FINALIZERS } from '../finalizers.ts';
import { API_VERSION } from '../names.ts';
import type { VirtualMachine, VirtualMachineInstance } from '../types.ts';

/** Namespace of UUIDs that are derived from the name of a virtual machine; fixed by the wire contract. */
const FIRMWARE_UUID_NAMESPACE = '6a1a24a1-4061-4607-8bf4-a3963d0c5895';

/**
 * The instance that a start of the virtual machine creates, complete with defaults. It has the name of the virtual
 * machine, so that there can be only one, and ends with it.
 * @param options.revision name of the ControllerRevision that holds what the virtual machine asks for now
 */
export function instanceOf(
  vm: VirtualMachine,
  config: ClusterConfig,
  source: DefaultsSource,
  options: { paused?: boolean; revision?: string } = {},
): VirtualMachineInstance {
  const { name, namespace, uid, generation } = vm.metadata;
  if (!namespace || !uid) throw new TypeError(`VirtualMachine ${name} has no namespace or uid: it is not stored`);
  const { metadata, spec } = vm.spec.template;
  const instance: VirtualMachineInstance = {
    apiVersion: API_VERSION,
    kind: 'VirtualMachineInstance',
    metadata: {
      name,
      namespace,
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [ANNOTATIONS.vmGeneration]: String(generation ?? 0) },
      finalizers: [FINALIZERS.vmController],
      ownerReferences: [
        { apiVersion: API_VERSION, kind: 'VirtualMachine', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: { ...spec, ...(options.paused ? { startStrategy: 'Paused' as const } : {}) },
  };
  // The identity the guest sees is the same at every start, also for a virtual machine stored without one.
  const defaulted = defaultVirtualMachineInstance(instance, config, { ...source, uuid: () => uuidOfName(name) });
  const complete = { ...defaulted, spec: withRoomToGrow(defaulted.spec, config) };
  if (!options.revision) return complete;
  return { ...complete, status: { ...complete.status, virtualMachineRevisionName: options.revision } };
}

/** UUID version 5 of a name. */
export function uuidOfName(name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(FIRMWARE_UUID_NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
