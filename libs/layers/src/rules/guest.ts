// The guest: what can be told of it with its agent, and without.
import type { Facts } from '../diagnosis/facts.ts';
import type { Rule } from '../diagnosis/types.ts';
import { nodeClockSkews } from './clocks.ts';
import { ended, PANICS } from './ends.ts';
import { seconds, target } from './words.ts';

/** Of one virtual CPU: it does nothing else; it does nothing, but for what QEMU itself does. */
const BUSY = 0.9;
const STILL = 0.02;
/** From the reset to an agent that answers; from the word that it goes down to the reset. */
const BOOT_SECONDS = 120;
const GO_DOWN_SECONDS = 60;
/** What a guest says before it ends its agent. */
const SLACK_SECONDS = 15;

/** Answers that the product needs; an agent that lacks others is an ordinary one. */
const NEEDED = /^(agent\.version|hostname|os|timezone|users|filesystems)$/;

export const guestPanicked: Rule = {
  name: 'guest-panicked',
  layer: 'guest',
  status: 'broken',
  holds: (facts) => {
    const end = ended(facts, ['panicked'], PANICS);
    const device = facts.is('domain/state', 'crashed', 'paused') && facts.is('domain/reason', 'panicked', 'crashed');
    const serial = serialPanic(facts);
    if (end === undefined && !device && serial === undefined) return undefined;
    return {
      because: [
        "the guest's kernel has panicked",
        ...(end?.words ?? []),
        ...(device ? ['its panic device said so'] : []),
        ...(serial === undefined ? [] : [`its serial console says: ${serial}`, ...cpuWords(facts)]),
      ],
      next: [`yagura console ${target(facts)}`, `yagura restart ${target(facts)}`],
      since: end?.since ?? (serial === undefined ? facts.text('domain/since') : facts.since('guest/serial.panic')),
    };
  },
};

export const guestHung: Rule = {
  name: 'guest-hung',
  layer: 'guest',
  status: 'broken',
  holds: (facts) => {
    const silent = arpOf(facts).filter(([, answer]) => answer === 'silent');
    const answering = arpOf(facts).some(([, answer]) => answer === 'answers');
    if (silent.length === 0 || answering || agentMute(facts) === undefined) return undefined;
    return {
      because: [
        'neither the guest agent nor the network stack of the guest answers, and QEMU does',
        ...cpuWords(facts),
        ...(facts.is('guest/serial.panic', null) ? ['its serial console shows no panic'] : []),
      ],
      next: [`yagura console ${target(facts)}`, `yagura vnc ${target(facts)}`, `yagura reset ${target(facts)}`],
      since: lastHeard(facts),
    };
  },
};

export const agentStopped: Rule = {
  name: 'agent-stopped',
  layer: 'guest',
  status: 'degraded',
  holds: (facts) => {
    const error = agentMute(facts);
    const answering = arpOf(facts).filter(([, answer]) => answer === 'answers');
    if (error === undefined || answering.length === 0 || hangingCommand(facts) !== undefined) return undefined;
    return {
      because: [
        `the guest agent has not answered for ${seconds(facts, lastHeard(facts))}, its channel is open: ${error}`,
        `the guest itself lives: it answers ARP on ${answering.map(([name]) => name).join(', ')}`,
      ],
      next: ['in the guest: systemctl restart qemu-guest-agent', `yagura console ${target(facts)}`],
      since: lastHeard(facts),
    };
  },
};

export const agentCommandHangs: Rule = {
  name: 'agent-command-hangs',
  layer: 'guest',
  status: 'degraded',
  holds: (facts) => {
    const command = hangingCommand(facts);
    if (command === undefined || agentMute(facts) === undefined) return undefined;
    // A guest that hangs explains more.
    if (guestHung.holds(facts) !== undefined) return undefined;
    return {
      because: [
        `the guest agent was asked ${command} and has not come back from it`,
        'an agent does one thing at a time, so its other answers only age',
      ],
      next: [
        command === 'guest-get-fsinfo'
          ? 'in the guest: look for a file system that is frozen or does not answer'
          : `in the guest: see what ${command} waits for`,
        'in the guest: systemctl restart qemu-guest-agent',
      ],
      since: facts.since('guest/agent.hangingCommand') ?? lastHeard(facts),
    };
  },
};

export const agentSilent: Rule = {
  name: 'agent-silent',
  layer: 'guest',
  status: 'degraded',
  holds: (facts) => {
    const error = agentMute(facts);
    if (error === undefined || arpOf(facts).length > 0 || hangingCommand(facts) !== undefined) return undefined;
    return {
      because: [
        `the guest agent has not answered for ${seconds(facts, lastHeard(facts))}, its channel is open: ${error}`,
        `possible: the agent is stopped or busy, or the guest hangs${facts.is('guest/serial.panic', null) ? '' : ', or its kernel has panicked without a panic device'}`,
        ...cpuWords(facts),
      ],
      next: [`yagura console ${target(facts)}`, 'in the guest: systemctl status qemu-guest-agent'],
      since: lastHeard(facts),
    };
  },
};

export const agentDisconnected: Rule = {
  name: 'agent-disconnected',
  layer: 'guest',
  status: 'degraded',
  holds: (facts) => {
    if (!agentClosed(facts) || restarting(facts) !== undefined) return undefined;
    return {
      because: [
        `the guest agent has closed its channel${lastHeard(facts) ? `; it last answered at ${lastHeard(facts)}` : ''}`,
        'it has ended, or the guest is restarting',
      ],
      next: ['in the guest: systemctl start qemu-guest-agent', `yagura console ${target(facts)}`],
      since: facts.since('guest/agent.channel') ?? lastHeard(facts),
    };
  },
};

export const agentShownSilent: Rule = {
  name: 'agent-connected-but-silent',
  layer: 'guest',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    if (facts.condition('vmi', 'AgentConnected')?.status !== 'True') return undefined;
    const closed = agentClosed(facts) && restarting(facts) === undefined;
    if (!closed && agentMute(facts) === undefined) return undefined;
    return {
      because: [
        `the object says AgentConnected, and the agent ${closed ? 'has closed its channel' : `has been silent for ${seconds(facts, lastHeard(facts))}`}`,
        'what is shown of the guest is of then',
      ],
      since: lastHeard(facts),
    };
  },
};

export const agentCommandMissing: Rule = {
  name: 'agent-command-missing',
  layer: 'guest',
  status: 'degraded',
  holds: (facts) => {
    const condition = facts.condition('vmi', 'AgentVersionNotSupported');
    const told = condition?.status === 'True' ? [condition.text] : [];
    const missing = [...facts.matching('guest', NEEDED), ...facts.matching('network', /^.*\.guestAddresses$/)]
      .filter(({ observation }) => observation.freshness === 'unsupported')
      .map(({ observation }) => `no ${observation.field}: ${observation.error ?? 'the agent has no such command'}`);
    if (!facts.domainRuns || !facts.is('guest/agent.channel', 'connected') || told.length + missing.length === 0)
      return undefined;
    return {
      because: [...told, ...missing],
      next: ['in the guest: remove the commands from qemu-ga --block-rpcs, or install a newer agent'],
      since: condition?.since,
    };
  },
};

export const agentCommandFails: Rule = {
  name: 'agent-command-fails',
  layer: 'guest',
  status: 'degraded',
  holds: (facts) => {
    if (!facts.domainRuns || facts.seen('guest/agent.lastSuccess')?.freshness !== 'live') return undefined;
    // While file systems are frozen an agent refuses most of its commands.
    if (!facts.is('guest/fsFreeze', 'thawed')) return undefined;
    const failing = [...facts.matching('guest', NEEDED), ...facts.matching('network', /^.*\.guestAddresses$/)].filter(
      ({ observation }) => observation.freshness === 'stale' && observation.error !== undefined,
    );
    if (failing.length === 0) return undefined;
    return {
      because: failing.map(
        ({ observation: { field, error, observedAt } }) =>
          `the agent answers, but not for ${field}: ${error ?? ''}${observedAt === null ? '' : `; what is shown is of ${observedAt}`}`,
      ),
      next: ['in the guest: journalctl -u qemu-guest-agent'],
      since: failing[0]?.observation.observedAt ?? undefined,
    };
  },
};

export const frozen: Rule = {
  name: 'filesystems-frozen',
  layer: 'guest',
  status: 'healthy',
  remark: true,
  holds: (facts) =>
    facts.is('guest/fsFreeze', 'frozen')
      ? {
          because: ['the file systems of the guest are frozen: its writes wait'],
          next: [`after the backup: yagura unfreeze ${target(facts)}`],
        }
      : undefined,
};

export const noAgent: Rule = {
  name: 'no-agent',
  layer: 'guest',
  status: 'healthy',
  remark: true,
  holds: (facts) =>
    facts.domainRuns && facts.is('guest/agent.channel', 'never connected')
      ? {
          because: ['no guest agent has connected since the guest started: what goes on inside is not known'],
          next: ['install and start qemu-guest-agent in the guest'],
        }
      : undefined,
};

export const emulated: Rule = {
  name: 'emulated',
  layer: 'domain',
  status: 'healthy',
  remark: true,
  holds: (facts) =>
    facts.is('domain/accelerator', 'tcg')
      ? { because: ['the guest is emulated (TCG), without KVM: it is slow'] }
      : undefined,
};

/** What the agent failed with, when its channel is open and its last word is a failure. */
function agentMute(facts: Facts): string | undefined {
  if (!facts.domainRuns || !facts.is('guest/agent.channel', 'connected')) return undefined;
  // A QEMU that hangs, or clocks that differ, explain the silence.
  if (!facts.is('domain/qemu.monitor', 'answering') || nodeClockSkews(facts).length > 0) return undefined;
  const answer = facts.seen('guest/agent.lastSuccess');
  return answer?.freshness === 'stale' || answer?.freshness === 'never' ? answer.error : undefined;
}

const lastHeard = (facts: Facts) => facts.seen('guest/agent.lastSuccess')?.observedAt ?? undefined;

/** The command that the agent does not come back from, where the launcher has told. */
const hangingCommand = (facts: Facts) => facts.text('guest/agent.hangingCommand');

/** Whether interfaces answer ARP in the pod network since the agent was last heard, as `[name, 'answers' | 'silent']`. */
function arpOf(facts: Facts): [string, unknown][] {
  return facts
    .matching('network', /^(.*)\.arp$/)
    .filter(
      ({ observation: { freshness, observedAt } }) => freshness === 'live' && !before(observedAt, lastHeard(facts)),
    )
    .filter(({ key, observation }) => observation.value === 'answers' || hadAddress(facts, key))
    .map(({ key, observation }) => [key, observation.value]);
}

/** Whether the agent has told of an address on the interface since the guest last began: one without says nothing by ARP. */
function hadAddress(facts: Facts, name: string): boolean {
  const heard = lastHeard(facts);
  if (heard === undefined || before(heard, facts.text('domain/rebootedAt'))) return false;
  const addresses = facts.seen(`network/${name}.guestAddresses`)?.value;
  return Array.isArray(addresses) && addresses.some((address) => typeof address === 'string' && !address.includes(':'));
}

const before = (time: string | null | undefined, other: string | undefined) =>
  Date.parse(time ?? '') < Date.parse(other ?? '');

/** The line in which the kernel says that it has panicked, unless the guest was heard after it: then somebody showed it. */
function serialPanic(facts: Facts): string | undefined {
  const line = facts.text('guest/serial.panic');
  const since = facts.since('guest/serial.panic');
  if (line === undefined || !facts.domainRuns || before(since, lastHeard(facts))) return undefined;
  // An agent that has not missed anything yet.
  if (facts.seen('guest/agent.lastSuccess')?.freshness === 'live') return undefined;
  const answering = facts
    .matching('network', /^(.*)\.arp$/)
    .some(({ observation: { value, observedAt } }) => value === 'answers' && !before(observedAt ?? undefined, since));
  return answering ? undefined : line;
}

/** How much CPU the guest takes, and what that may mean; it proves nothing. */
function cpuWords(facts: Facts): string[] {
  const figure = facts.live('domain/cpu.moving');
  if (typeof figure !== 'number') return [];
  const taken = `the guest takes ${figure} s of CPU time a second`;
  if (figure >= BUSY) return [`${taken}: something in it loops`];
  return [figure <= STILL ? `${taken}: its virtual CPUs stand still` : taken];
}

const agentClosed = (facts: Facts) => facts.domainRuns && facts.is('guest/agent.channel', 'disconnected');

/** What shows that the guest restarts or goes down, so that an agent which has closed its channel is no trouble. */
export function restarting(facts: Facts): { because: string; since: string | undefined } | undefined {
  if (!agentClosed(facts)) return undefined;
  const closed = Date.parse(facts.since('guest/agent.channel') ?? '');
  const signs = [
    ['domain/rebootedAt', 'the guest was reset', BOOT_SECONDS],
    ['domain/rebootRequestedAt', 'it was asked to reboot', GO_DOWN_SECONDS],
    ['guest/serial.goingDownAt', 'its serial console says that it goes down', GO_DOWN_SECONDS],
  ] as const;
  for (const [path, because, allowed] of signs) {
    const at = facts.text(path);
    // Another agent may have come and gone since.
    const belongs = Date.parse(at ?? '') >= closed - SLACK_SECONDS * 1000;
    if (belongs && !facts.lasts(at, allowed)) return { because, since: at };
  }
  return undefined;
}
