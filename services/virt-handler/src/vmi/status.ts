import {
  binaryQuantity,
  type Condition,
  credentialCommands,
  type GuestOsInfo,
  quantityValue,
  setCondition,
  type VirtualMachineInstance,
  type VirtualMachineInstanceStatus,
  VMI_CONDITIONS,
  type VolumeStatus,
  withPhase,
} from '@yagura/api';
import { AnswerState, type Domain, DomainState, type GetGuestInfoResponse } from '@yagura/contracts';
import { type InterfaceIntent, mergeInterfaces } from '@yagura/layers';
import { domainInterfaces, guestInterfaces } from '@yagura/layers/launcher';
import { withCredentials } from './access-credentials.ts';
import { conditionsOf, hotChanges, synchronized } from './conditions.ts';
import type { Migratability } from './migratable.ts';
import type { RunEnd } from './outcome.ts';

export interface StatusInput {
  vmi: VirtualMachineInstance;
  domain: Domain;
  guest: GetGuestInfoResponse | undefined;
  podIPs: string[];
  /** Whether the kubelet calls the launcher's pod ready. */
  podReady: boolean;
  showAgent: boolean;
  /** Versions of an agent that lists no commands; a trailing `*` matches anything. */
  supportedAgentVersions: readonly string[];
  migratability: Migratability;
  /** Why the running guest is not as its spec says. */
  problem: string | undefined;
  /** Why the running guest does not have the CPUs of its spec. */
  cpuProblem?: string | undefined;
  /** Why the running guest is not offered the memory of its spec. */
  memoryProblem?: string | undefined;
  /** RFC 3339. */
  now: string;
}

const ACTIVE = [
  DomainState.RUNNING,
  DomainState.BLOCKED,
  DomainState.PAUSED,
  DomainState.SHUTDOWN,
  DomainState.PM_SUSPENDED,
];

/** The status of an instance whose domain is there, with nothing changed that this node does not own. */
export function observedStatus(input: StatusInput): VirtualMachineInstanceStatus {
  const { vmi, domain, guest, showAgent, migratability, now } = input;
  const before: VirtualMachineInstanceStatus = vmi.status ?? {};
  const active = ACTIVE.includes(domain.state);
  const status = active && before.phase === 'Scheduled' ? withPhase(before, 'Running', now) : { ...before };
  if (!active) return status;
  const intents = interfaceIntents(vmi);
  const shown = showAgent ? guest : undefined;
  const { supportedAgentVersions } = input;
  const agentCommands = credentialCommands(vmi.spec);
  const seen = { domain, guest: shown, showAgent, supportedAgentVersions, agentCommands, migratability, now };
  const ours = withCredentials(conditionsOf(before.conditions ?? [], seen), domain, now);
  const conditions = startsNow(before, status) && input.podReady ? ready(ours, now) : ours;
  const freeze = shown?.fsfreezeStatus;
  const { fsFreezeStatus: _, ...rest } = status;
  return {
    ...rest,
    conditions: synchronized(hotChanges(conditions, input), input.problem, now),
    ...currentCpus(before.currentCPUTopology, domain),
    interfaces: mergeInterfaces({
      intents,
      podIPs: input.podIPs,
      domain: domainInterfaces(domain),
      guest: guestInterfaces(shown),
      previous: before.interfaces ?? [],
    }),
    guestOSInfo: guestOs(before.guestOSInfo, shown),
    // Absent when thawed; kept while nobody can tell.
    ...(freeze === 'frozen' || (freeze === undefined && before.fsFreezeStatus) ? { fsFreezeStatus: 'frozen' } : {}),
    ...(domain.machineType === undefined ? {} : { machine: { ...before.machine, type: domain.machineType } }),
    ...(domain.selinuxContext === '' ? {} : { selinuxContext: domain.selinuxContext }),
    ...currentMemory(before.memory, domain),
    volumeStatus: volumeTargets(vmi, before.volumeStatus, domain),
    migrationMethod: migratability.method,
  };
}

const startsNow = (before: VirtualMachineInstanceStatus, after: VirtualMachineInstanceStatus) =>
  before.phase !== 'Running' && after.phase === 'Running';

/**
 * Ready is virt-controller's, and follows from Running at once where the pod is ready already: told here in the same
 * words, it costs no write of its own.
 */
function ready(conditions: Condition[], now: string): Condition[] {
  if (conditions.some(({ type }) => type === VMI_CONDITIONS.paused)) return conditions;
  return setCondition(conditions, { type: VMI_CONDITIONS.ready, status: 'True' }, now);
}

/** The status of a run that is over. What was last known of the guest stays; what speaks of a live one goes. */
export function endedStatus(vmi: VirtualMachineInstance, end: RunEnd, now: string): VirtualMachineInstanceStatus {
  const before: VirtualMachineInstanceStatus = vmi.status ?? {};
  const status = withPhase(before, end.phase, now);
  const gone = ['AgentConnected', 'AgentVersionNotSupported', 'Paused'];
  return {
    ...status,
    ...(end.reason === undefined ? {} : { reason: end.reason }),
    conditions: (before.conditions ?? []).filter(({ type }) => !gone.includes(type)),
  };
}

/** The interfaces of the spec, with what decides on their addresses. */
export function interfaceIntents(vmi: VirtualMachineInstance): InterfaceIntent[] {
  return (vmi.spec.domain.devices?.interfaces ?? []).map((nic) => {
    const network = vmi.spec.networks?.find(({ name }) => name === nic.name);
    return {
      name: nic.name,
      binding: nic.masquerade !== undefined ? 'masquerade' : nic.bridge !== undefined ? 'bridge' : 'other',
      network: network?.pod !== undefined ? 'pod' : network?.multus !== undefined ? 'multus' : 'other',
    };
  });
}

/** What the agent says of the system, whenever any of it changes; an agent that cannot tell takes nothing away. */
function guestOs(before: GuestOsInfo | undefined, guest: GetGuestInfoResponse | undefined): GuestOsInfo {
  const state = guest?.osStatus?.state;
  const os = guest?.os;
  if (os === undefined || (state !== AnswerState.OK && state !== AnswerState.STALE)) return before ?? {};
  const { id, name, prettyName, version, versionId, kernelRelease, kernelVersion, machine } = os;
  const told = { id, name, prettyName, version, versionId, kernelRelease, kernelVersion, machine };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined && value !== ''));
}

/**
 * The guest's memory as the balloon leaves it, and what libvirt asks for where it can grow; the same size stays in the words in
 * which it was written.
 */
function currentMemory(
  before: VirtualMachineInstanceStatus['memory'],
  { currentMemoryBytes, memory }: Domain,
): Pick<VirtualMachineInstanceStatus, 'memory'> {
  const told = { guestCurrent: currentMemoryBytes, guestRequested: memory?.requestedBytes };
  const news = Object.entries(told).filter(([name, bytes]) => {
    const known = before?.[name as keyof typeof told];
    return bytes !== undefined && (known === undefined || quantityValue(known) !== bytes);
  });
  if (news.length === 0) return {};
  return {
    memory: { ...before, ...Object.fromEntries(news.map(([name, bytes]) => [name, binaryQuantity(bytes ?? 0n)])) },
  };
}

/** The virtual CPUs as libvirt has them. */
function currentCpus(
  before: VirtualMachineInstanceStatus['currentCPUTopology'],
  { cpus }: Domain,
): Pick<VirtualMachineInstanceStatus, 'currentCPUTopology'> {
  if (cpus === undefined) return {};
  const { sockets, cores, threads } = cpus;
  const same = before?.sockets === sockets && before.cores === cores && before.threads === threads;
  return same ? {} : { currentCPUTopology: { sockets, cores, threads } };
}

/** Device names and the sizes of generated images from the domain, put into the list that virt-controller keeps. */
function volumeTargets(
  vmi: VirtualMachineInstance,
  before: VolumeStatus[] | undefined,
  domain: Domain,
): VolumeStatus[] {
  const names = (vmi.spec.volumes ?? []).map(({ name }) => name).sort();
  const list = before ?? names.map((name): VolumeStatus => ({ name, target: '' }));
  return list.map((volume) => {
    const disk = domain.disks.find(({ name }) => name === volume.name);
    if (disk === undefined) return volume;
    const { target, sizeBytes } = disk;
    return { ...volume, target, ...(sizeBytes === undefined ? {} : { size: Number(sizeBytes) }) };
  });
}
