import {
  type AnswerStatus,
  type Domain,
  type GetGuestInfoResponse,
  GuestAgentChannel,
  type GuestFilesystem,
} from '@yagura/contracts';
import type { JsonValue, Sample, SourceState } from '../observation.ts';
import { type LauncherLink, LINK_MAX_AGE, through } from './link.ts';
import { answerSource, channelWord, toDate } from './words.ts';

/** Seconds for which a sign of life of the agent counts as live: three of the launcher's rounds, which are 3 s. */
export const AGENT_MAX_AGE = 10;
/** The same for its answers, by how often the launcher asks: every 5 s, every minute, every five minutes. */
const FREEZE_MAX_AGE = 15;
const USERS_MAX_AGE = 30;
const FILESYSTEMS_MAX_AGE = 60;
const SLOW_MAX_AGE = 130;
const VERSION_MAX_AGE = 660;
/** The launcher reads the console's log every 5 s. */
const SERIAL_MAX_AGE = 15;
/** As many users and file systems are part of `guestosinfo`, and of the report. */
const CAP = 10;

/** The guest layer: the agent's channel, its last sign of life, and each of its answers. */
export function guestSamples(
  domain: Domain | undefined,
  info: GetGuestInfoResponse | undefined,
  link: LauncherLink,
): Sample[] {
  return through(link, [
    ...channelSamples(domain, link),
    ...hangingSamples(domain, link),
    ...serialSamples(domain),
    ...answerSamples(domain, info),
    ...filesystemSamples(domain, info),
  ]);
}

function channelSamples(domain: Domain | undefined, link: LauncherLink): Sample[] {
  const agent = domain?.guestAgent;
  const lastSuccess = toDate(agent?.lastSuccess);
  const lastFailure = toDate(agent?.lastFailure);
  const mute = lastFailure !== undefined && (lastSuccess === undefined || lastFailure > lastSuccess);
  return [
    {
      layer: 'guest',
      field: 'agent.channel',
      value: agent && channelWord(agent.channel),
      source: 'libvirt',
      observedAt: agent && link.lastAnswer,
      since: toDate(agent?.channelSince),
      maxAge: LINK_MAX_AGE,
      state: 'answering',
    },
    {
      layer: 'guest',
      field: 'agent.lastSuccess',
      value: lastSuccess?.toISOString(),
      source: 'guest-agent',
      observedAt: lastSuccess,
      maxAge: AGENT_MAX_AGE,
      state: agentState(domain) === 'gone' ? 'gone' : mute ? 'failing' : 'answering',
      error: mute ? agent?.lastError : undefined,
    },
  ];
}

/** The command that the agent does not come back from; null while it hangs in none. */
function hangingSamples(domain: Domain | undefined, link: LauncherLink): Sample[] {
  const hanging = domain?.guestAgent?.hanging;
  return [
    {
      layer: 'guest',
      field: 'agent.hangingCommand',
      value: hanging?.command ?? null,
      source: 'virt-launcher',
      observedAt: domain?.evidence && link.lastAnswer,
      since: toDate(hanging?.since),
      maxAge: LINK_MAX_AGE,
      state: 'answering',
    },
  ];
}

/** What the guest wrote to its serial console in this run of it. */
function serialSamples(domain: Domain | undefined): Sample[] {
  const serial = domain?.evidence?.serial;
  const base = {
    layer: 'guest',
    source: 'serial console',
    observedAt: toDate(serial?.observedAt),
    maxAge: SERIAL_MAX_AGE,
    state: 'answering',
  } as const;
  return [
    { ...base, field: 'serial.panic', value: serial?.panic ?? null, since: toDate(serial?.panicAt) },
    { ...base, field: 'serial.goingDownAt', value: toDate(serial?.goingDownAt)?.toISOString() ?? null },
  ];
}

/** `gone` once a channel that was open is closed: what the agent said before is its last word. */
export function agentState(domain: Domain | undefined): SourceState {
  return domain?.guestAgent?.channel === GuestAgentChannel.DISCONNECTED ? 'gone' : 'answering';
}

type Answer = (field: string, value: JsonValue | undefined, status: AnswerStatus | undefined, maxAge: number) => Sample;

/** Samples of the agent's answers, each with a status of its own. */
function answers(domain: Domain | undefined): Answer {
  const state = agentState(domain);
  return (field, value, status, maxAge) => ({
    layer: 'guest',
    field,
    value,
    source: 'guest-agent',
    observedAt: toDate(status?.observedAt),
    maxAge,
    state:
      answerSource(status?.state) === 'unsupported'
        ? 'unsupported'
        : state === 'gone'
          ? 'gone'
          : answerSource(status?.state),
    error: status?.error,
  });
}

function answerSamples(domain: Domain | undefined, info: GetGuestInfoResponse | undefined): Sample[] {
  const answer = answers(domain);
  const os = info?.os;
  const load = info?.load;
  return [
    answer('agent.version', info?.agentVersion, info?.agentStatus, VERSION_MAX_AGE),
    answer('agent.commands', info && capped(info), info?.agentStatus, VERSION_MAX_AGE),
    answer('hostname', info?.hostname, info?.hostnameStatus, SLOW_MAX_AGE),
    answer('os', os?.prettyName ?? os?.name, info?.osStatus, SLOW_MAX_AGE),
    answer('os.kernel', os?.kernelRelease, info?.osStatus, SLOW_MAX_AGE),
    answer('timezone', info?.timezone, info?.timezoneStatus, SLOW_MAX_AGE),
    answer('fsFreeze', info?.fsfreezeStatus, info?.fsfreezeAnswer, FREEZE_MAX_AGE),
    answer(
      'load',
      load && [load.oneMinute, load.fiveMinutes, load.fifteenMinutes].map((value) => Math.round(value * 100) / 100),
      info?.loadStatus,
      SLOW_MAX_AGE,
    ),
    answer('users', info?.users && shown(info.users.users.length), info?.users?.status, USERS_MAX_AGE),
  ];
}

/** How many file systems there are, and how full the first of them. */
function filesystemSamples(domain: Domain | undefined, info: GetGuestInfoResponse | undefined): Sample[] {
  const answer = answers(domain);
  const { filesystems = [], status } = info?.filesystems ?? {};
  return [
    answer('filesystems', info?.filesystems && shown(filesystems.length), status, FILESYSTEMS_MAX_AGE),
    ...filesystems
      .slice(0, CAP)
      .map((fs) => answer(`filesystem.${fs.mountPoint}`, fill(fs), status, FILESYSTEMS_MAX_AGE)),
  ];
}

/** A list that is cut says so, e.g. `10 of 14`. */
function shown(count: number): number | string {
  return count > CAP ? `${CAP} of ${count}` : count;
}

function fill({ usedBytes, totalBytes, type, diskName }: GuestFilesystem): string {
  const where = `${type} on ${diskName}`;
  if (usedBytes === undefined || totalBytes === undefined) return where;
  return `${mebibytes(usedBytes)} of ${mebibytes(totalBytes)} MiB used, ${where}`;
}

const mebibytes = (bytes: bigint) => Math.round(Number(bytes) / 2 ** 20);

function capped(info: GetGuestInfoResponse): string {
  const enabled = info.supportedCommands.filter((command) => command.enabled).length;
  return `${enabled} of ${info.supportedCommands.length} enabled`;
}
