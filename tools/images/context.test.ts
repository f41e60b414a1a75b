import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hashContext, listContext, stageContext } from './context.ts';

const spec = { name: 'x', containerfile: 'Containerfile', inputs: ['src', 'tool-*/bin', 'linked'] };
let root: string;

const write = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
};
const hash = (others: string[] = []) => hashContext(listContext(root, spec), others);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yagura-context-'));
  write('Containerfile', 'FROM scratch\n');
  write('src/b', 'b');
  write('src/a', 'a', 0o700);
  write('tool-1/bin', 'tool');
  write('store/pkg/index.js', 'pkg');
  symlinkSync(join(root, 'store/pkg'), join(root, 'linked'));
  symlinkSync('a', join(root, 'src/link'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the context of an image', () => {
  test('lists the Containerfile and all inputs; inputs may be links, links below them stay links', () => {
    expect(listContext(root, spec).map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      'Containerfile file',
      'linked/index.js file',
      'src/a executable',
      'src/b file',
      'src/link symlink',
      'tool-1/bin file',
    ]);
  });

  test('with a missing input is an error that names image and input', () => {
    rmSync(join(root, 'tool-1'), { recursive: true });
    expect(() => listContext(root, spec)).toThrow('image x: tool-*/bin is missing');
  });

  test('has the same digest whenever its content is the same', () => {
    const before = hash();
    utimesSync(join(root, 'src/b'), 1, 1);
    chmodSync(join(root, 'src/b'), 0o600);
    expect(hash()).toBe(before);
  });

  test.each<[string, () => void]>([
    ['content', () => write('src/b', 'B')],
    ['a name', () => write('src/c', '')],
    ['what may be executed', () => chmodSync(join(root, 'src/b'), 0o755)],
    ['the Containerfile', () => write('Containerfile', 'FROM other\n')],
    ['the end of a link', () => (rmSync(join(root, 'src/link')), symlinkSync('b', join(root, 'src/link')))],
  ])('has another digest when %s changed', (_, change) => {
    const before = hash();
    change();
    expect(hash()).not.toBe(before);
  });

  test('has another digest on another base', () => {
    expect(hash(['base 1'])).not.toBe(hash(['base 2']));
  });

  test('is staged with fixed time stamps and modes', () => {
    const to = join(root, 'staged');
    stageContext(listContext(root, spec), to);
    expect(readFileSync(join(to, 'src/link'), 'utf8')).toBe('a');
    const stamps = ['src', 'src/a', 'src/b', 'linked/index.js'].map((path) => statSync(join(to, path)));
    expect(stamps.map(({ mtimeMs }) => mtimeMs)).toEqual(Array(4).fill(Date.UTC(2020, 0, 1)));
    expect(stamps.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['755', '755', '644', '644']);
  });
});
