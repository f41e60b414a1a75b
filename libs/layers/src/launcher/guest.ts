import { type AnswerStatus, type Domain, type GetGuestInfoResponse, GuestAgentChannel } from '@yagura/contracts';
import type { JsonValue, Sample, SourceState } from '../observation.ts';
import { type LauncherLink, LINK_MAX_AGE, through } from './link.ts';
import { answerSource, channelWord, toDate } from './words.ts';

/** Seconds for which a sign of life of the agent counts as live: three of the launcher's rounds, which are 3 s. */
export const AGENT_MAX_AGE = 10;
/** The same for its answers, by how often the launcher asks: every 5 s, every minute, every five minutes. */
const FREEZE_MAX_AGE = 15;
const SLOW_MAX_AGE = 130;
const VERSION_MAX_AGE = 660;

/** The guest layer: the agent's channel, its last sign of life, and each of its answers. */
export function guestSamples(
  domain: Domain | undefined,
  info: GetGuestInfoResponse | undefined,
  link: LauncherLink,
): Sample[] {
  return through(link, [...channelSamples(domain, link), ...answerSamples(domain, info)]);
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

/** `gone` once a channel that was open is closed: what the agent said before is its last word. */
export function agentState(domain: Domain | undefined): SourceState {
  return domain?.guestAgent?.channel === GuestAgentChannel.DISCONNECTED ? 'gone' : 'answering';
}

function answerSamples(domain: Domain | undefined, info: GetGuestInfoResponse | undefined): Sample[] {
  const state = agentState(domain);
  const answer = (
    field: string,
    value: JsonValue | undefined,
    status: AnswerStatus | undefined,
    maxAge: number,
  ): Sample => ({
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
  ];
}

function capped(info: GetGuestInfoResponse): string {
  const enabled = info.supportedCommands.filter((command) => command.enabled).length;
  return `${enabled} of ${info.supportedCommands.length} enabled`;
}
