import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, parseStat, processOf } from './pids.ts';

const REST = '1 2 3 4 -1 5 6 7 8 9 10 11 12 13 14 20 0 4 4242 100 7';

describe('a process by its pid file', () => {
  test.each<[string, string]>([
    ['qemu-system-x86', 'qemu-system-x86'],
    ['odd ) (name', 'odd ) (name'],
  ])('%s is read from /proc with its start time', (name) => {
    expect(parseStat(`77 (${name}) S ${REST}`)).toEqual({ name, state: 'S', startTicks: '4242' });
  });

  test.each(['', 'nonsense', '1 (x'])('%j is nothing', (text) => {
    expect(parseStat(text)).toBeUndefined();
  });

  test('is only found when it has the name and is not a leftover number', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pids-'));
    const file = join(directory, 'x.pid');
    await writeFile(file, `${process.pid}\n`);
    try {
      const self = await processOf(file, 'no');
      expect(self === undefined || self.pid === process.pid).toBe(true);
      expect(await processOf(file, 'libvirtd')).toBeUndefined();
      expect(await processOf(join(directory, 'none'), 'x')).toBeUndefined();
      expect(await isAlive({ pid: process.pid, startTicks: '1' })).toBe(false);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
