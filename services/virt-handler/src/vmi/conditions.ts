import {
  type Condition,
  findCondition,
  type NewCondition,
  REASONS,
  removeCondition,
  setCondition,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
} from '@yagura/api';
import {
  Accelerator,
  AnswerState,
  type Domain,
  DomainState,
  type GetGuestInfoResponse,
  GuestAgentChannel,
} from '@yagura/contracts';
import { missingCpus } from './live-cpus.ts';
import { missingMemory } from './live-memory.ts';
import type { Migratability } from './migratable.ts';
import { paused } from './paused.ts';

/** Commands without which an agent is of no use to this API. */
const BASE_COMMANDS = [
  'guest-ping',
  'guest-get-time',
  'guest-info',
  'guest-shutdown',
  'guest-network-get-interfaces',
  'guest-get-fsinfo',
  'guest-get-host-name',
  'guest-get-users',
  'guest-get-timezone',
  'guest-get-osinfo',
];

type Edit = (conditions: Condition[]) => Condition[];

/** Sets or removes one condition of which this node has the say. */
function put(type: string, wanted: Omit<NewCondition, 'type'> | undefined, now: string): Edit {
  return (conditions) =>
    wanted === undefined ? removeCondition(conditions, type) : setCondition(conditions, { type, ...wanted }, now);
}

export interface ConditionInput {
  domain: Domain;
  guest: GetGuestInfoResponse | undefined;
  /** False while the first answers of an agent that has just connected are still to come. */
  showAgent: boolean;
  supportedAgentVersions: readonly string[];
  /** Commands that this instance needs beyond those that all need. */
  agentCommands: readonly string[];
  migratability: Migratability;
  now: string;
}

/** The conditions with those of this node brought up to date; a domain that cannot be seen changes none. */
export function conditionsOf(before: Condition[], input: ConditionInput): Condition[] {
  const { domain, now, migratability } = input;
  if (domain.state === DomainState.UNSPECIFIED) return before;
  const [blocker] = migratability.blockers;
  const [storageBlocker] = migratability.storageBlockers;
  const edits: Edit[] = [
    ...agentConditions(input),
    put(VMI_CONDITIONS.paused, paused(domain), now),
    untimed(VMI_CONDITIONS.liveMigratable, blocker ? { status: 'False', ...blocker } : { status: 'True' }),
    untimed(
      VMI_CONDITIONS.storageLiveMigratable,
      storageBlocker ? { status: 'False', reason: 'NotMigratable', message: storageBlocker } : { status: 'True' },
    ),
    put(VMI_CONDITIONS.softwareEmulation, emulation(domain), now),
  ];
  return edits.reduce((conditions, edit) => edit(conditions), before);
}

function agentConditions(input: ConditionInput): Edit[] {
  const { domain, guest, showAgent, now } = input;
  const connected = domain.guestAgent?.channel === GuestAgentChannel.CONNECTED;
  if (!connected) {
    return [
      put(VMI_CONDITIONS.agentConnected, undefined, now),
      put(VMI_CONDITIONS.agentVersionNotSupported, undefined, now),
    ];
  }
  if (!showAgent) return [];
  const edits = [put(VMI_CONDITIONS.agentConnected, { status: 'True' }, now)];
  // What the agent can do is known once it has said so, and stays known.
  if (guest?.agentStatus?.state !== AnswerState.OK) return edits;
  const reason = shortcoming(guest, input);
  const wanted = reason === undefined ? undefined : ({ status: 'True', reason } as const);
  return [...edits, put(VMI_CONDITIONS.agentVersionNotSupported, wanted, now)];
}

/** Why the agent is not enough; one that lists no commands is known by its version. */
function shortcoming(guest: GetGuestInfoResponse, input: ConditionInput): string | undefined {
  if (guest.supportedCommands.length === 0) {
    const version = guest.agentVersion ?? '';
    const matches = input.supportedAgentVersions.some((pattern) =>
      pattern.endsWith('*') ? version.startsWith(pattern.slice(0, -1)) : version === pattern,
    );
    return matches ? undefined : `This guest agent of version ${version || 'unknown'} is not supported`;
  }
  const enabled = new Set(guest.supportedCommands.filter((command) => command.enabled).map(({ name }) => name));
  const missing = [...BASE_COMMANDS, ...input.agentCommands].filter((command) => !enabled.has(command));
  return missing.length === 0 ? undefined : `This guest agent lacks the commands ${missing.join(', ')}`;
}

function emulation(domain: Domain): Omit<NewCondition, 'type'> | undefined {
  if (domain.accelerator !== Accelerator.TCG) return undefined;
  return { status: 'True', reason: 'UseEmulation', message: 'The guest runs by software emulation (TCG), without KVM' };
}

/** These two carry no times, as clients of the API are used to. */
function untimed(type: string, wanted: Omit<NewCondition, 'type'>): Edit {
  return (conditions) => {
    const before = findCondition({ status: { conditions } }, type);
    if (before?.status === wanted.status && (before.reason ?? '') === (wanted.reason ?? '')) return conditions;
    const { status, reason, message } = wanted;
    const after: Condition = {
      type,
      status,
      lastProbeTime: null,
      lastTransitionTime: null,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    };
    return before ? conditions.map((condition) => (condition === before ? after : condition)) : [...conditions, after];
  };
}

/** `Synchronized=False` with the error while there is one; another component's word on it is left alone. */
export function synchronized(before: Condition[], error: string | undefined, now: string): Condition[] {
  const known = findCondition({ status: { conditions: before } }, VMI_CONDITIONS.synchronized);
  const ours = known?.reason === REASONS.syncFailed;
  if (error === undefined) return ours ? removeCondition(before, VMI_CONDITIONS.synchronized) : before;
  if (known !== undefined && !ours) return before;
  return setCondition(
    before,
    {
      type: VMI_CONDITIONS.synchronized,
      status: 'False',
      reason: REASONS.syncFailed,
      message: error,
      messageChange: 'update',
    },
    now,
  );
}

/** A domain that may have grown, and why it has not. */
export interface Grown {
  vmi: VirtualMachineInstance;
  domain: Domain;
  cpuProblem?: string | undefined;
  memoryProblem?: string | undefined;
  now: string;
}

/**
 * HotVCPUChange and HotMemoryChange are virt-controller's while the pod has to grow. Here they become False when libvirt
 * fails, and go when the guest has what its spec says; memory is also waited for until the guest has taken it.
 */
export function hotChanges(before: Condition[], { vmi, domain, cpuProblem, memoryProblem, now }: Grown): Condition[] {
  const failure = (message: string | undefined): Hot =>
    message === undefined ? 'as before' : { status: 'False', reason: REASONS.hotPlugFailed, message };
  const { cpus, memory } = domain;
  let hotCpus: Hot = 'as before';
  let hotMemory: Hot = 'as before';
  if (cpus !== undefined) hotCpus = missingCpus(vmi, domain) <= 0 ? 'done' : failure(cpuProblem);
  if (memory !== undefined) {
    if (missingMemory(vmi, domain) > 0n) hotMemory = failure(memoryProblem);
    else hotMemory = memory.currentBytes < memory.requestedBytes ? WAITING_FOR_GUEST : 'done';
  }
  const after = withHot(before, VMI_CONDITIONS.hotVcpuChange, hotCpus, now);
  return withHot(after, VMI_CONDITIONS.hotMemoryChange, hotMemory, now);
}

type Hot = 'as before' | 'done' | Omit<NewCondition, 'type'>;

const WAITING_FOR_GUEST: Hot = {
  status: 'True',
  reason: REASONS.waitingForGuest,
  message:
    'the guest is offered the memory and has not taken all of it; its kernel needs a driver of virtio-mem for that',
};

function withHot(before: Condition[], type: string, hot: Hot, now: string): Condition[] {
  if (hot === 'as before') return before;
  return hot === 'done'
    ? removeCondition(before, type)
    : setCondition(before, { type, messageChange: 'update', ...hot }, now);
}
