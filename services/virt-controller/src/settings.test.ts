import { readFileSync } from 'node:fs';
import { readSettings } from './settings.ts';

const required = { LAUNCHER_IMAGE: 'launcher:1' };

test('the version is the one that is deployed; run from its sources, the package says', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  expect(readSettings({ ...required, YAGURA_VERSION: '1.2.3' }).version).toBe('1.2.3');
  expect(readSettings(required).version).toBe((JSON.parse(manifest) as { version: string }).version);
});

test.each([
  [{}, 'LAUNCHER_IMAGE is not set'],
  [{ ...required, PORT: '70000' }, 'PORT is "70000": not a TCP port'],
])('settings %j are refused, and named', (env, message) => {
  expect(() => readSettings(env)).toThrow(message);
});
