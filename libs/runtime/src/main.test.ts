import { spawn } from 'node:child_process';
import { once } from 'node:events';

const prelude = `import { runMain } from ${JSON.stringify(new URL('./main.ts', import.meta.url).href)};`;

async function run(body: string, onOutput?: (child: ReturnType<typeof spawn>, text: string) => void) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', prelude + body], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    onOutput?.(child, output);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

test('SIGTERM aborts the signal and a clean return exits with 0', async () => {
  let sent = false;
  const { code, output } = await run(
    `await runMain('t', async ({ log, signal }) => { log.info('up'); const t = setInterval(() => {}, 1000); await new Promise(r => signal.addEventListener('abort', r)); log.info('done'); });`,
    (child, text) => {
      if (!sent && text.includes('"up"')) sent = child.kill('SIGTERM');
    },
  );
  expect(code).toBe(0);
  expect(output).toContain('"msg":"stopping"');
  expect(output).toContain('"msg":"done"');
});

test('an unhandled rejection is logged and exits with 1', async () => {
  const { code, output } = await run(
    `await runMain('t', async () => { Promise.reject(new Error('lost')); await new Promise(r => setTimeout(r, 5000)); });`,
  );
  expect(code).toBe(1);
  expect(output).toContain('lost');
});
