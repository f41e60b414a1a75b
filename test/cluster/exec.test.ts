import { CommandError, exec, tryExec } from './exec.ts';

test('answers standard output and takes input', async () => {
  expect(await exec('cat', [], { input: 'text' })).toBe('text');
});

test('a failure names the command, the code and the end of what was said', async () => {
  const failing = exec('sh', ['-c', 'for n in 1 2 3 4 5 6 7 8 9 10; do echo line $n >&2; done; exit 3']);
  await expect(failing).rejects.toThrow(CommandError);
  await expect(failing).rejects.toThrow(/exit code 3\nline 3\n[^]*line 10$/);
});

test('a failure that is an answer is undefined; a missing command still is an error', async () => {
  expect(await tryExec('false', [])).toBeUndefined();
  await expect(tryExec('no-such-command-here', [])).rejects.toThrow('no-such-command-here: not found');
});

test('aborting ends the command', async () => {
  const abort = new AbortController();
  const running = exec('sleep', ['60'], {}, abort.signal);
  abort.abort(new Error('enough'));
  await expect(running).rejects.toThrow();
});
