import type { StateAndReason } from '@yagura/libvirt';
import type { Observed } from '../domain/view.ts';
import { answerProbe, type ProbeWorld } from './answer.ts';

const defined = (state: StateAndReason): Observed => ({
  kind: 'defined',
  at: new Date(0),
  state,
  live: undefined,
  qemuPid: 1,
});
const running = defined({ state: 'running', reason: 'booted' });
const text = (value: string) => Buffer.from(value);

function world(changes: Partial<ProbeWorld> = {}): ProbeWorld {
  return {
    observed: running,
    started: true,
    suspended: false,
    migrated: false,
    ping: async () => {},
    exec: async ({ args }) => ({ exitCode: 0, stdout: text(args.join()), stderr: text('!'), truncated: false }),
    ...changes,
  };
}
const deaf: Partial<ProbeWorld> = {
  ping: async () => Promise.reject(new Error('the channel of the guest agent is closed')),
  exec: async () => Promise.reject(new Error('the channel of the guest agent is closed')),
};
const paused = (reason: 'user' | 'migration' | 'ioerror' | 'starting-up') => defined({ state: 'paused', reason });

test.each<[string, Partial<ProbeWorld>, number, string]>([
  ['an agent that answers', {}, 0, ''],
  ['one that does not', deaf, 1, 'the channel of the guest agent is closed'],
  ['no guest', { observed: { kind: 'absent', at: new Date(0) } }, 1, 'the guest does not run'],
  ['a guest that was paused', { ...deaf, observed: paused('user') }, 0, 'not asked: the guest is paused (user)'],
  ['one that migrates', { ...deaf, observed: paused('migration') }, 0, 'not asked: the guest is paused (migration)'],
  ['one that moved', { ...deaf, migrated: true }, 0, 'not asked: the guest has moved'],
  ['one that starts', { ...deaf, observed: paused('starting-up') }, 1, 'the channel of the guest agent is closed'],
  ['one stopped by its disk', { ...deaf, observed: paused('ioerror') }, 1, 'the channel of the guest agent is closed'],
  [
    'probes left out',
    { ...deaf, suspended: true },
    0,
    'not asked: the annotation kubevirt.io/pause-guest-agent-probes is set',
  ],
])('a ping with %s', async (_what, changes, exitCode, output) => {
  expect(await answerProbe({ timeoutSeconds: 1, question: 'ping' }, world(changes))).toEqual({ exitCode, output });
});

test('a command gives its own exit code and output', async () => {
  const request = { timeoutSeconds: 1, question: 'exec', command: ['cat', 'a', 'b'] } as const;
  expect(await answerProbe(request, world())).toEqual({ exitCode: 0, output: 'a,b!' });
  const failing = world({
    exec: async () => ({ exitCode: 3, stdout: text('x'.repeat(9_000)), stderr: text(''), truncated: false }),
  });
  const { exitCode, output } = await answerProbe(request, failing);
  expect([exitCode, output.length]).toEqual([3, 4_096]);
});

test('an agent that is mute is given up in time', async () => {
  const mute = world({
    ping: async (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  });
  const { exitCode, output } = await answerProbe({ timeoutSeconds: 1, question: 'ping' }, mute);
  expect([exitCode, output]).toEqual([1, 'the guest agent does not answer within 1 s']);
});

test('whether the guest was started is known without its agent', async () => {
  const request = { timeoutSeconds: 1, question: 'started' } as const;
  expect(await answerProbe(request, world(deaf))).toEqual({ exitCode: 0, output: '' });
  const early = world({ started: false, observed: { kind: 'absent', at: new Date(0) } });
  expect(await answerProbe(request, early)).toEqual({ exitCode: 1, output: 'the guest has not been started yet' });
});
