import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { copyClosure, isNeededAtRunTime, planClosure } from './closure.ts';

let root: string;

/** Installs a package the way pnpm does: in a store, with links to what it needs. */
function install(name: string, version: string, dependencies: Record<string, string> = {}): void {
  const home = join(root, 'store', `${name.replace('/', '+')}@${version}`, 'node_modules');
  mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, name, 'package.json'), JSON.stringify({ name, version, dependencies }));
  writeFileSync(join(home, name, 'index.js'), `exports.v = '${version}';`);
  writeFileSync(join(home, name, 'index.d.ts'), '');
  for (const [other, otherVersion] of Object.entries(dependencies)) link(other, otherVersion, home);
}
function link(name: string, version: string, nodeModules: string): void {
  mkdirSync(dirname(join(nodeModules, name)), { recursive: true });
  symlinkSync(
    join(root, 'store', `${name.replace('/', '+')}@${version}`, 'node_modules', name),
    join(nodeModules, name),
  );
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yagura-closure-'));
  install('left', '1.0.0');
  install('left', '2.0.0');
  install('@types/node', '24.0.0');
  install('@s/a', '1.0.0', { left: '1.0.0', '@types/node': '24.0.0' });
  install('b', '1.0.0', { left: '2.0.0', '@s/a': '1.0.0' });
  link('@s/a', '1.0.0', join(root, 'app/node_modules'));
  link('b', '1.0.0', join(root, 'app/node_modules'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the closure of packages', () => {
  test('has each package once at the top, a second version below who wants it, and no types', () => {
    const plan = planClosure(join(root, 'app'), ['@s/a', 'b']);
    expect(plan.map(({ at, from, version }) => `${at} ${version} ${relative(root, from)}`)).toEqual([
      '@s/a 1.0.0 store/@s+a@1.0.0/node_modules/@s/a',
      'b 1.0.0 store/b@1.0.0/node_modules/b',
      'b/node_modules/left 2.0.0 store/left@2.0.0/node_modules/left',
      'left 1.0.0 store/left@1.0.0/node_modules/left',
    ]);
  });

  test('is copied without links and without types', () => {
    const to = join(root, 'out');
    copyClosure(join(root, 'app'), ['@s/a', 'b'], to);
    expect(
      ['@s/a/index.js', 'b/node_modules/left/index.js', 'left/index.d.ts'].map((path) => existsSync(join(to, path))),
    ).toEqual([true, true, false]);
  });

  test('with a package that is not installed is an error that names who wants it', () => {
    expect(() => planClosure(join(root, 'app'), ['gone'])).toThrow(
      `gone, wanted by ${join(root, 'app')}, is not installed`,
    );
  });

  test.each([
    ['/index.js', true],
    ['/src/index.js', true],
    ['/proto/health.proto', true],
    ['/package.json', true],
    ['/index.d.ts', false],
    ['/src/index.ts', false],
    ['/index.js.map', false],
    ['/README.md', false],
    ['/test/x.js', false],
  ])('takes %s: %s', (path, expected) => {
    expect(isNeededAtRunTime(path)).toBe(expected);
  });
});
