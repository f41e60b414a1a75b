import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@yagura/runtime';
import type { ProbeRequest } from './arguments.ts';
import { serveProbes } from './server.ts';

const log = { debug: () => {} } as unknown as Logger;
const SOURCE = join(import.meta.dirname, '../../probe/virt-probe.c');
const compiler = ['/usr/bin/cc', '/usr/bin/gcc'].find((path) => existsSync(path));
let directory = '';
let server: Server | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'probe-'));
});
afterEach(() => {
  server?.close();
  rmSync(directory, { recursive: true, force: true });
});

const serve = async (answer: (request: ProbeRequest) => Promise<{ exitCode: number; output: string }>) => {
  server = await serveProbes(join(directory, 's'), answer, log);
  return join(directory, 's');
};

test('a request is a list of words, an answer an exit code and an output', async () => {
  const path = await serve(async ({ command }) => ({ exitCode: 7, output: JSON.stringify(command) }));
  const ask = async (text: string) =>
    new Promise<string>((resolve) => {
      let got = '';
      const socket = createConnection({ path, allowHalfOpen: true }, () => socket.end(text));
      socket.on('data', (part) => (got += part)).on('end', () => resolve(got));
    });
  expect(await ask('--command\0a b\0--\0"\n\0')).toBe('7\n["a b","\\"\\n"]\n');
  expect(await ask('--what\0')).toBe('2\nvirt-probe: "--what" is not an option of virt-probe\n');
});

const withCompiler = compiler === undefined ? test.skip : test;

withCompiler('virt-probe hands its arguments over and ends as it is told', async () => {
  const program = join(directory, 'virt-probe');
  const run = async (file: string, args: string[]) =>
    new Promise<{ code: number; stdout: string }>((resolve) => {
      const env = { PATH: '/usr/bin:/bin', VIRT_PROBE_SOCKET: join(directory, 's') };
      execFile(file, args, { env }, (error, stdout) => resolve({ code: Number(error?.code ?? 0), stdout }));
    });
  const flags = ['-Os', '-Wall', '-Wextra', '-Werror', '-static', '-o', program, SOURCE];
  expect(await run(compiler ?? '', flags)).toEqual({ code: 0, stdout: '' });
  const gone = await run(program, ['--guestAgentPing']);
  expect(gone).toEqual({
    code: 1,
    stdout: 'virt-probe: the launcher cannot be reached: No such file or directory\n',
  });
  await serve(async ({ command }) => ({ exitCode: command ? 42 : 0, output: command?.join('|') ?? '' }));
  expect(await run(program, ['--timeoutSeconds', '2', '--guestAgentPing'])).toEqual({ code: 0, stdout: '' });
  expect(await run(program, ['--command', 'sh', '--', '-c', 'a "b" \'c\'\n'])).toEqual({
    code: 42,
    stdout: 'sh|-c|a "b" \'c\'\n',
  });
});

withCompiler('a launcher that hangs is given up', async () => {
  const program = join(directory, 'virt-probe');
  await new Promise((resolve) => execFile(compiler ?? '', ['-static', '-o', program, SOURCE], resolve));
  await serve(async () => new Promise(() => {}));
  const env = { VIRT_PROBE_SOCKET: join(directory, 's') };
  const began = Date.now();
  const code = await new Promise((resolve) =>
    execFile(program, ['--timeoutSeconds', '1', '--guestAgentPing'], { env }, (error, stdout) =>
      resolve([error?.code, stdout]),
    ),
  );
  expect(code).toEqual([1, 'virt-probe: the launcher does not answer\n']);
  expect(Date.now() - began).toBeLessThan(4_000);
});
