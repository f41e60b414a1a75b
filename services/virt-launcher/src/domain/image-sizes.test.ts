import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LiveDisk } from '@yagura/domain';
import { imageSizes } from './image-sizes.ts';

test('only images of the launcher’s own making have a size to tell', () => {
  const root = mkdtempSync(join(tmpdir(), 'sizes-'));
  const own = join(root, 'own');
  mkdirSync(own);
  writeFileSync(join(own, 'noCloud.iso'), 'x'.repeat(7));
  writeFileSync(join(root, 'users.iso'), 'x');
  writeFileSync(join(own, 'disk.qcow2'), 'x');
  const disk = (source: string | undefined): LiveDisk => ({
    name: 'd',
    alias: undefined,
    target: 'vda',
    bus: undefined,
    source,
  });
  const sources = [
    join(own, 'noCloud.iso'),
    join(root, 'users.iso'),
    join(own, 'disk.qcow2'),
    join(own, 'gone.iso'),
    undefined,
  ];
  expect([...imageSizes(sources.map(disk), [own])]).toEqual([[join(own, 'noCloud.iso'), 7]]);
  rmSync(root, { recursive: true });
});
