import { DomainOutcome, DomainState, GuestAgentChannel } from '@yagura/contracts';
import { parseDomainXml } from '@yagura/domain';
import type { DomainView, Observed } from '../domain/view.ts';
import { domainMessage } from './domain-message.ts';

const at = new Date('2026-01-02T03:04:05.678Z');
const live = parseDomainXml("<domain type='qemu'><name>default_demo</name></domain>");
const running: Observed = { kind: 'defined', at, state: { state: 'running', reason: 'booted' }, live, qemuPid: 7 };
const link = { connected: true, since: at, lastError: undefined, losses: 0, version: '11.3.0' };

const view = (part: Partial<DomainView> = {}): DomainView => ({
  observed: running,
  stateSince: at,
  agent: {
    channel: 'never-connected',
    since: at,
    lastSuccess: undefined,
    lastFailure: undefined,
    lastError: undefined,
    hanging: undefined,
  },
  evidence: { cpu: undefined, arp: [], serial: undefined },
  monitor: { lastAnswer: undefined, silentSince: undefined, lastError: undefined },
  record: { uid: 'u-1', name: 'default_demo' },
  ioErrors: [],
  link,
  imageSizes: new Map([['/e/noCloud.iso', 7]]),
  selinuxContext: 'none',
  credentials: undefined,
  ...part,
});

describe('the message of a domain', () => {
  test('holds what is known and leaves out what is not', () => {
    const message = domainMessage(view());
    expect(message).toMatchObject({
      name: 'default_demo',
      vmiUid: 'u-1',
      state: DomainState.RUNNING,
      stateReason: 'booted',
      qemuPid: 7,
      guestAgent: { channel: GuestAgentChannel.NEVER_CONNECTED },
      observedAt: { seconds: 1767323045n, nanos: 678_000_000 },
    });
    expect(message).toMatchObject({ guestProbesSuspended: false, selinuxContext: 'none' });
    for (const absent of ['machineType', 'end', 'shutdownRequestedAt', 'pauseRequested', 'rebootedAt'])
      expect(message).not.toHaveProperty(absent);
    expect(message.guestAgent).not.toHaveProperty('lastSuccess');
  });

  test('tells what was found out without the agent, and that a launcher looks for it', () => {
    expect(domainMessage(view()).evidence).toEqual({ arp: [] });
    const seconds = { seconds: 1767323045n };
    const agent = { ...view().agent, hanging: { command: 'guest-get-fsinfo', since: at } };
    const evidence = {
      cpu: { at, secondsPerSecond: 0.5, wholeProcess: true },
      arp: [{ interface: 'default', answers: false, at }],
      serial: { at, panic: { line: 'Kernel panic', at }, goingDownAt: undefined },
    };
    expect(domainMessage(view({ agent, evidence }))).toMatchObject({
      guestAgent: { hanging: { command: 'guest-get-fsinfo', since: seconds } },
      evidence: {
        cpu: { secondsPerSecond: 0.5, wholeProcess: true, observedAt: seconds },
        arp: [{ interface: 'default', answers: false, observedAt: seconds }],
        serial: { panic: 'Kernel panic', panicAt: seconds, observedAt: seconds },
      },
    });
  });

  test('tells whether a pause was asked for, where that is known', () => {
    const asked = (pauseRequested: boolean) => domainMessage(view({ record: { uid: 'u', name: 'd', pauseRequested } }));
    expect([asked(true).pauseRequested, asked(false).pauseRequested]).toEqual([true, false]);
  });

  const end = { time: at.toISOString(), outcome: 'unobserved', message: 'm' } as const;
  test.each<[what: string, part: Partial<DomainView>, state: DomainState, reason: string]>([
    ['before anything was seen', { observed: { kind: 'unknown' } }, DomainState.UNSPECIFIED, ''],
    ['without libvirt', { link: { ...link, connected: false } }, DomainState.UNSPECIFIED, ''],
    ['that is not there', { observed: { kind: 'absent', at } }, DomainState.ABSENT, ''],
    [
      'stopped by an I/O error',
      { observed: { ...running, state: { state: 'paused', reason: 'ioerror' } } },
      DomainState.PAUSED,
      'io-error',
    ],
    [
      'that ended unseen',
      {
        observed: { ...running, state: { state: 'shutoff', reason: 'crashed' } },
        record: { uid: 'u', name: 'n', end },
      },
      DomainState.SHUTOFF,
      'unobserved',
    ],
    [
      'that ended and is gone',
      { observed: { kind: 'absent', at }, record: { uid: 'u', name: 'n', end } },
      DomainState.SHUTOFF,
      'unobserved',
    ],
    [
      'that libvirt has a new word for',
      { observed: { ...running, state: { state: 'unlisted-9', reason: 'unlisted-1' } } },
      DomainState.UNSPECIFIED,
      'unlisted-1',
    ],
  ])('%s', (_, part, state, reason) => {
    expect(domainMessage(view(part))).toMatchObject({ state, stateReason: reason });
  });

  test('tells the end', () => {
    const message = domainMessage(view({ record: { uid: 'u', name: 'n', end: { ...end, outcome: 'crashed' } } }));
    expect(message.end).toMatchObject({ outcome: DomainOutcome.CRASHED, message: 'm' });
  });
});
