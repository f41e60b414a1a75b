import { lastWords, oomKills } from './evidence.ts';
import { type Ending, judgeEnd, killReason } from './outcome.ts';
import type { RunRecord } from './run-record.ts';

const nothing = { outOfMemory: false, qemuLog: undefined };
const run: RunRecord = { uid: 'u', name: 'default_demo', startedAt: '2026-01-01T00:00:00Z' };

describe('the end of a domain', () => {
  test.each<[what: string, ending: Ending, record: Partial<RunRecord>, outcome: string, message: RegExp]>([
    ['shut down from inside', { reason: 'shutdown', observed: true }, {}, 'shutdown', /shut itself down/],
    [
      'shut down when asked',
      { reason: 'shutdown', observed: true },
      { shutdownRequestedAt: 'x' },
      'shutdown',
      /obeyed/,
    ],
    [
      'shut down before the kill took hold',
      { reason: 'shutdown', observed: true },
      { killReason: 'k' },
      'shutdown',
      /itself/,
    ],
    [
      'killed by us',
      { reason: 'destroyed', observed: true },
      { killReason: 'grace ran out' },
      'destroyed',
      /^grace ran out$/,
    ],
    [
      'killed by us by process id',
      { reason: 'crashed', observed: true },
      { killReason: 'asked' },
      'destroyed',
      /^asked$/,
    ],
    ['destroyed by somebody', { reason: 'destroyed', observed: true }, {}, 'destroyed', /through libvirt/],
    [
      'gone before our eyes',
      { reason: 'crashed', observed: true, heardAll: true },
      {},
      'qemu-gone',
      /QEMU ended without a shutdown/,
    ],
    ['crashed while only libvirt looked', { reason: 'crashed', observed: true }, {}, 'crashed', /QEMU or its guest/],
    [
      'panicked, and destroyed by libvirt',
      { reason: 'crashed', observed: true, heardAll: true },
      { panickedAt: 'x' },
      'panicked',
      /kernel panicked/,
    ],
    ['panicked, and not destroyed yet', { reason: 'panicked', observed: true }, {}, 'panicked', /kernel panicked/],
    ['panicked, and gone', { reason: 'gone', observed: false }, { panickedAt: 'x' }, 'panicked', /kernel panicked/],
    ['crashed unseen', { reason: 'crashed', observed: false }, {}, 'unobserved', /neither launcher nor libvirt/],
    ['ended under a new daemon', { reason: 'daemon', observed: false }, {}, 'unobserved', /neither/],
    ['not defined any more', { reason: 'gone', observed: false }, {}, 'unobserved', /neither/],
    ['for a reason that libvirt lost', { reason: 'unknown', observed: true }, {}, 'unobserved', /unknown/],
    ['moved away', { reason: 'migrated', observed: true }, {}, 'migrated', /migrated/],
    ['never up', { reason: 'failed', observed: true }, {}, 'failed', /could not be started/],
  ])('%s', (_, ending, record, outcome, message) => {
    const end = judgeEnd(ending, { ...run, ...record }, nothing);
    expect(end.outcome).toBe(outcome);
    expect(end.message).toMatch(message);
  });

  test('in a crash tells what the kernel and QEMU said', () => {
    const evidence = { outOfMemory: true, qemuLog: 'qemu-system-x86_64: boom' };
    const end = judgeEnd({ reason: 'crashed', observed: true }, run, evidence);
    expect(end.message).toMatch(/out of memory; QEMU's last words: qemu-system-x86_64: boom$/);
    expect(judgeEnd({ reason: 'shutdown', observed: true }, run, evidence).message).not.toMatch(/memory/);
  });
});

describe('evidence', () => {
  test.each<[string, number]>([
    ['low 0\noom 3\noom_kill 2\noom_group_kill 0\n', 2],
    ['oom_kill_disable 0\nunder_oom 0\noom_kill 0\n', 0],
    ['', 0],
  ])('counts the kills in %j', (text, kills) => {
    expect(oomKills(text)).toBe(kills);
  });

  test("is QEMU's last complaint of this run, not of an earlier one, and none of libvirt's lines", () => {
    const old = '2026-01-01 00:00:00.000+0000: starting up libvirt version\nqemu-system-x86_64: old\n';
    const fresh = '2026-01-02 00:00:00.000+0000: starting up libvirt version\n-device x \\\n';
    expect(lastWords(old + fresh)).toBeUndefined();
    const said = '2026-01-02T00:00:01.1Z qemu-system-x86_64: terminating on signal 15 from pid 7 (x)\n';
    expect(lastWords(`${old}${fresh}${said}2026-01-02 00:00:02.000+0000: shutting down, reason=crashed\n`)).toBe(
      'qemu-system-x86_64: terminating on signal 15 from pid 7 (x)',
    );
  });
});

test.each([
  ['that nobody asked to shut down', undefined, 'killed on request'],
  ['that was asked', '2026-11-30T12:00:00Z', 'killed: the guest did not shut down within 10 s of being asked to'],
])('a guest %s is killed with that word', (_, shutdownRequestedAt, reason) => {
  const record = { uid: 'u', name: 'n', ...(shutdownRequestedAt ? { shutdownRequestedAt } : {}) };
  expect(killReason(record, new Date('2026-11-30T12:00:10Z'))).toBe(reason);
});
