import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../process/run.ts';
import type { SeedFiles } from './cloud-init.ts';

/** Writes an ISO 9660 image with Joliet and Rock Ridge names. `workDirectory` must exist. */
export async function writeIso(path: string, label: string, files: SeedFiles, workDirectory: string): Promise<void> {
  const staging = await mkdtemp(join(workDirectory, 'iso-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = join(staging, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: 0o640 });
    }
    const layout = ['-joliet', 'on', '-rockridge', 'on'];
    await run('xorriso', [
      '-report_about',
      'WARNING',
      '-outdev',
      path,
      '-volid',
      label,
      ...layout,
      '-map',
      staging,
      '/',
    ]);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
