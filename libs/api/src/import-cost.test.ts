import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Modules that a program loads when it imports the file. */
function loadedBy(file: string): string[] {
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ resolve(specifier, context, next) { const found = next(specifier, context); urls.push(found.url); return found; } });
    await import(${JSON.stringify(join(import.meta.dirname, file))});
    console.log(JSON.stringify(urls));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

test.each(['index.ts', 'validation/index.ts'])(
  'a service that imports %s loads neither TypeBox nor the schemas',
  (file) => {
    const loaded = loadedBy(file);
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((url) => url.includes('/node_modules/') || url.includes('/src/schemas/'))).toEqual([]);
  },
);
