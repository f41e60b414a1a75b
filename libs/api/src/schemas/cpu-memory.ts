import type { Static } from 'typebox';
import { CPU_FEATURE_POLICIES } from '../words.ts';
import { bool, int32, list, marker, object, oneOf, quantity, quantityMap, str } from './build.ts';

export const ResourceRequirementsSchema = object('Resources that the launcher pod asks for on behalf of the guest.', {
  requests: quantityMap('Resources the node must have left; requests.memory is the guest memory if that is not set.'),
  limits: quantityMap('Resources the pod may not exceed.'),
  overcommitGuestOverhead: bool('Leaves what the virtualization itself needs out of the request.'),
});

export const CpuSchema = object('Virtual CPUs: topology, model and features.', {
  cores: int32('Cores per socket; 1 if unset.'),
  sockets: int32('Sockets; 1 if unset.'),
  threads: int32('Threads per core; 1 if unset.'),
  maxSockets: int32('Most sockets the guest can be given while it runs.'),
  model: str('host-model (the default), host-passthrough, or a CPU model that libvirt knows.'),
  features: list(
    'CPU features that are forced, required or forbidden.',
    object(
      'A CPU feature.',
      { policy: oneOf('What is done about it; require if unset.', CPU_FEATURE_POLICIES) },
      { name: str('Name of the feature, as libvirt spells it.') },
    ),
  ),
  dedicatedCpuPlacement: bool('Pins each virtual CPU to a physical one of its own.'),
  isolateEmulatorThread: bool('Gives the emulator a physical CPU of its own.'),
  numa: object('How NUMA is shown to the guest.', {
    guestMappingPassthrough: marker('Gives the guest the NUMA topology of its pinned CPUs.'),
  }),
  realtime: object('Tunes the virtual CPUs for real-time work.', {
    mask: str('CPUs it is applied to, such as 0-3,^1; all if unset.'),
  }),
});
export type Cpu = Static<typeof CpuSchema>;

export const CpuTopologySchema = object('Topology of the virtual CPUs.', {
  cores: int32('Cores per socket.'),
  sockets: int32('Sockets.'),
  threads: int32('Threads per core.'),
});
export type CpuTopology = Static<typeof CpuTopologySchema>;

export const MemorySchema = object('Memory of the guest.', {
  guest: quantity('Memory the guest sees; resources.requests.memory if unset.'),
  maxGuest: quantity('Most memory the guest can be given while it runs.'),
  hugepages: object('Backs the memory of the guest by huge pages.', { pageSize: str('Size, such as 2Mi or 1Gi.') }),
  reservedOverhead: object('Memory of the launcher pod beyond that of the guest.', {
    addedOverhead: quantity('Added to the computed overhead.'),
    memLock: oneOf('Whether the memory of the guest must be locked.', ['Required', 'NotRequired']),
  }),
});
export type Memory = Static<typeof MemorySchema>;
