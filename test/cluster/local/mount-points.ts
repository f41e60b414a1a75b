import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, writeIfChanged } from '../files.ts';
import { stateDir } from '../paths.ts';

/** Directories of the machine that were made only to have the nodes' own ones mounted over them. */
const saved = join(stateDir, 'mount-points.json');

export async function makeMountPoints(dirs: readonly string[]): Promise<void> {
  const made = new Set(JSON.parse((await readText(saved)) ?? '[]') as string[]);
  const before = made.size;
  for (const dir of dirs) {
    const parts = dir.split('/').slice(1);
    for (let length = 1; length <= parts.length; length++) {
      const path = `/${parts.slice(0, length).join('/')}`;
      try {
        await mkdir(path);
        made.add(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }
  if (made.size > before) await writeIfChanged(saved, JSON.stringify([...made]));
}

/** Removes those that are empty still, the deepest first. */
export async function removeMountPoints(): Promise<void> {
  const made = JSON.parse((await readText(saved)) ?? '[]') as string[];
  for (const path of made.sort((a, b) => b.length - a.length)) {
    try {
      await rmdir(path);
    } catch (error) {
      if (!['ENOTEMPTY', 'ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}
