import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { candidates, native } from './native.ts';

const CHILD = fileURLToPath(new URL('testing/no-daemon-child.ts', import.meta.url));

test('the addon is looked for where the environment says, else beside the bundle and in the build folder', () => {
  const bundle = 'file:///usr/lib/yagura/launcher/main.mjs';
  expect(candidates(bundle, { YAGURA_LIBVIRT_NATIVE: '/x/addon.node' })).toEqual(['/x/addon.node']);
  expect(candidates(bundle, {})).toEqual([
    '/usr/lib/yagura/launcher/yagura-libvirt.node',
    '/usr/lib/yagura/native/build/yagura-libvirt.node',
  ]);
});

test('without the addon the error says how to build it and where it was looked for', async () => {
  const env = { ...process.env, YAGURA_LIBVIRT_NATIVE: '/nowhere/addon.node' };
  const code = `import('${new URL('native.ts', import.meta.url).href}').then(({ native }) => native()).catch((e) => console.log(e.message))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', code], { env });
  expect(stdout).toContain('build it with "npm run build:native"');
  expect(stdout).toContain('/nowhere/addon.node');
});

test('it says what it was compiled with and what it runs on', () => {
  const { compiled, loaded } = native().versions();
  expect(compiled).toBeGreaterThanOrEqual(9_000_000);
  expect(loaded).toBeGreaterThanOrEqual(compiled);
});

test('a session without a daemon stays without one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'yagura-none-'));
  const root = process.getuid?.() === 0;
  if (root) chownSync(directory, 65534, 65534);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, 'qemu:///session'], {
      ...(root ? { uid: 65534, gid: 65534 } : {}),
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: directory, XDG_RUNTIME_DIR: directory },
    });
    expect(stdout).toBe('SYSTEM_ERROR\n');
    expect(readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith('.pid'))).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
