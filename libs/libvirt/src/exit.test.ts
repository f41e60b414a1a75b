import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SilentServer } from './testing/silent-server.ts';

interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

const CHILD = fileURLToPath(new URL('testing/exit-child.ts', import.meta.url));

function run(how: string, uri?: string, signal?: NodeJS.Signals): Promise<Ending> {
  const child = spawn(process.execPath, [CHILD, how, ...(uri === undefined ? [] : [uri])], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  if (signal) child.stdout.once('data', () => child.kill(signal));
  return new Promise((resolve) => child.on('close', (code, ended) => resolve({ code, signal: ended, stderr })));
}

describe('a process with open connections and a call that hangs ends as it should', () => {
  let silent: SilentServer;
  beforeAll(() => {
    silent = new SilentServer();
  });
  afterAll(() => silent.close());

  // A thread that is destroyed too early shows up only now and then: so each way several times.
  test.each<[string, string, NodeJS.Signals | undefined, Partial<Ending>]>([
    ['when nothing is left to do', 'drain', undefined, { code: 0, signal: null, stderr: '' }],
    ['after closing', 'close', undefined, { code: 0, signal: null, stderr: '' }],
    ['by process.exit() amid calls', 'exit', undefined, { code: 7, signal: null, stderr: '' }],
    ['by an uncaught exception', 'throw', undefined, { code: 1, signal: null }],
    ['by an exception in an event listener', 'throw-in-listener', undefined, { code: 1, signal: null }],
    ['by an unhandled LibvirtError', 'reject', undefined, { code: 1, signal: null }],
    ['by SIGTERM', 'wait', 'SIGTERM', { code: null, signal: 'SIGTERM', stderr: '' }],
    ['by SIGINT', 'wait', 'SIGINT', { code: null, signal: 'SIGINT', stderr: '' }],
    ['by process.exit() on SIGTERM', 'wait-with-handler', 'SIGTERM', { code: 9, signal: null, stderr: '' }],
  ])(
    '%s',
    async (_, how, signal, expected) => {
      for (let round = 0; round < 5; round++) expect(await run(how, silent.uri, signal)).toMatchObject(expected);
    },
    60_000,
  );

  test('what is uncaught shows the error and the line that made the call', async () => {
    expect((await run('throw')).stderr).toContain('uncaught on purpose');
    expect((await run('throw-in-listener')).stderr).toContain('uncaught on purpose');
    const { stderr } = await run('reject');
    expect(stderr).toContain('LibvirtError: Domain not found');
    expect(stderr).toContain('connection.ts');
  }, 60_000);
});
