import { type AskAgent, execInGuest, GuestCommandTimeout } from './exec.ts';

const answers = (...list: object[]) => {
  const asked: [string, object | undefined][] = [];
  const ask: AskAgent = async (command, _timeout, _signal, args) => {
    asked.push([command, args]);
    return JSON.stringify({ return: list.length > 1 ? list.shift() : list[0] });
  };
  return { ask, asked };
};
const signal = new AbortController().signal;
const command = { path: '/bin/sh', args: ['-c', 'echo "a b" \'c\' \\ \n'], timeoutMs: 5_000 };

test('arguments reach the agent as they are, and the output comes back', async () => {
  const { ask, asked } = answers(
    { pid: 7 },
    { exited: false },
    { exited: true, exitcode: 3, 'out-data': 'aGk=', 'err-data': 'bm8=', 'err-truncated': true },
  );
  const end = await execInGuest(ask, command, signal);
  expect(end).toMatchObject({ exitCode: 3, truncated: true });
  expect([end.stdout.toString(), end.stderr.toString()]).toEqual(['hi', 'no']);
  expect(asked).toEqual([
    ['guest-exec', { path: command.path, arg: command.args, 'capture-output': true }],
    ['guest-exec-status', { pid: 7 }],
    ['guest-exec-status', { pid: 7 }],
  ]);
});

test('a command that was killed says by what', async () => {
  const { ask } = answers({ pid: 7 }, { exited: true, signal: 9 });
  expect(await execInGuest(ask, command, signal)).toMatchObject({ exitCode: 137, signal: 9 });
});

test('one that does not end in time fails, and says that it goes on', async () => {
  const { ask } = answers({ pid: 7 }, { exited: false });
  const error = await execInGuest(ask, { ...command, timeoutMs: 120 }, signal).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GuestCommandTimeout);
  expect(String(error)).toMatch(/"\/bin\/sh" has not ended within 0.12 s; it may go on/);
});
