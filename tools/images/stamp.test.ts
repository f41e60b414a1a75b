import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCurrent, writeStamp } from './stamp.ts';

let root: string;
let stamp: string;
const old = new Date('2020-01-01T00:00:00Z');
const inputs = ['a.ts', 'b.ts', 'node_modules/p/index.js', 'virtual:module'];

const write = (path: string, text: string, time = old) => {
  writeFileSync(join(root, path), text);
  utimesSync(join(root, path), time, time);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yagura-stamp-'));
  stamp = join(root, 'stamps/x.json');
  for (const path of ['a.ts', 'b.ts', 'out.mjs', 'pnpm-lock.yaml']) write(path, path);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the stamp of a bundle', () => {
  test('is current while nothing that the bundle was made from was touched', () => {
    writeStamp(root, stamp, inputs, ['out.mjs'], Date.now());
    expect(isCurrent(root, stamp)).toBe(true);
  });

  test.each<[string, () => void]>([
    ['a source was edited', () => write('a.ts', 'edited')],
    ['a source was touched', () => write('a.ts', 'a.ts', new Date('2021-01-01T00:00:00Z'))],
    ['a source is gone', () => rmSync(join(root, 'b.ts'))],
    ['the lock file changed', () => write('pnpm-lock.yaml', 'other packages')],
    ['the bundle is gone', () => rmSync(join(root, 'out.mjs'))],
    ['the stamp is broken', () => writeFileSync(stamp, '{')],
    ['there is no stamp', () => rmSync(stamp)],
  ])('is not when %s', (_, change) => {
    writeStamp(root, stamp, inputs, ['out.mjs'], Date.now());
    change();
    expect(isCurrent(root, stamp)).toBe(false);
  });

  test('is not when a source was edited while the bundler ran', () => {
    write('a.ts', 'a.ts', new Date('2021-01-01T00:00:00Z'));
    writeStamp(root, stamp, inputs, ['out.mjs'], Date.UTC(2020, 5, 1));
    expect(isCurrent(root, stamp)).toBe(false);
  });
});
