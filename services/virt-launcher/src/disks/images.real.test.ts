import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBlank, ensureOverlay, probeFormat, takesDirectIo } from './images.ts';
import { writeIso } from './iso.ts';

// With the real qemu-img and xorriso.
const directory = mkdtempSync(join(tmpdir(), 'images-'));
afterAll(() => rmSync(directory, { recursive: true }));

const path = (name: string) => join(directory, name);
const info = (file: string) =>
  JSON.parse(execFileSync('qemu-img', ['info', '-U', '--output=json', file], { encoding: 'utf8' }));
const MIB = 1024 ** 2;

describe('disk images', () => {
  test.each(['raw', 'qcow2'] as const)(
    'an overlay on a %s image has its size and keeps what was written',
    async (format) => {
      const backing = path(`base.${format}`);
      execFileSync('qemu-img', ['create', '-q', '-f', format, backing, '8M']);
      expect(await probeFormat(backing)).toBe(format);
      const overlay = path(`${format}/deep/overlay.qcow2`);
      await ensureOverlay(overlay, { file: backing, format });
      expect(info(overlay)).toMatchObject({
        format: 'qcow2',
        'virtual-size': 8 * MIB,
        'backing-filename': backing,
        'backing-filename-format': format,
      });
      expect(statSync(overlay).mode & 0o777).toBe(0o640);
      execFileSync('qemu-io', ['-c', 'write -P 7 0 512', overlay]);
      const before = readFileSync(overlay);
      await ensureOverlay(overlay, { file: backing, format });
      expect(readFileSync(overlay).equals(before)).toBe(true);
      await expect(probeFormat(overlay)).rejects.toThrow('backing file');
    },
  );

  test('a blank image has whole MiB', async () => {
    await ensureBlank(path('blank.qcow2'), BigInt(3 * MIB + 700));
    expect(info(path('blank.qcow2'))).toMatchObject({ format: 'qcow2', 'virtual-size': 3 * MIB });
  });

  test('an overlay that cannot be made says why and leaves nothing behind', async () => {
    const overlay = path('broken.qcow2');
    await expect(ensureOverlay(overlay, { file: path('none'), format: 'raw' })).rejects.toThrow(
      /qemu-img failed: .*none/,
    );
    expect(() => statSync(overlay)).toThrow('ENOENT');
  });

  test('a file that is not there takes no direct I/O', async () => {
    expect(await takesDirectIo(path('none'))).toBe(false);
  });

  test('a seed is found by its label and holds its files', async () => {
    const iso = path('seed.iso');
    await writeIso(iso, 'cidata', { 'meta-data': '{"a":1}\n', 'user-data': '#cloud-config\n' }, directory);
    expect(readFileSync(iso).subarray(32808, 32814).toString()).toBe('cidata');
    const out = path('user-data');
    execFileSync('xorriso', ['-indev', iso, '-osirrox', 'on', '-extract', '/user-data', out], { stdio: 'ignore' });
    expect(readFileSync(out, 'utf8')).toBe('#cloud-config\n');
    writeFileSync(out, '');
  });
});
