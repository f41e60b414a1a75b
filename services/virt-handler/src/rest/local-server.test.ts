import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@yagura/runtime';
import { HttpError } from './errors.ts';
import { getLocal } from './local-client.ts';
import { startLocalServer } from './local-server.ts';

const log = createLogger('test', '0').child({}, { level: 'silent' });
const socket = join(mkdtempSync(join(tmpdir(), 'local-')), 'own', 's');
let server: Server;
beforeAll(async () => {
  server = await startLocalServer({
    socket,
    handle: async ({ method, path }) => {
      if (path === '/absent') throw new HttpError(404, 'no such instance');
      return { status: 200, body: { method, path } };
    },
    log,
  });
});
afterAll(() => {
  server.close();
});

test('what is asked for is answered, to its own user only', async () => {
  expect(JSON.parse(await getLocal(socket, '/x'))).toEqual({ method: 'GET', path: '/x' });
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700);
});

test('an error keeps its words', async () => {
  await expect(getLocal(socket, '/absent')).rejects.toThrow('answers 404: no such instance');
});

test('a socket that a killed process left is replaced', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'local-')), 's');
  writeFileSync(path, '');
  const next = await startLocalServer({ socket: path, handle: async () => ({ status: 200, body: {} }), log });
  expect(await getLocal(path, '/')).toBe('{}');
  next.close();
});

test('one that does not listen is starting, or has ended', async () => {
  await expect(getLocal(join(tmpdir(), 'nobody-here'), '/')).rejects.toThrow('it is starting, or has ended');
});

test('one that listens and does not answer is told as such in time', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'local-')), 's');
  const hung = createServer(() => {});
  await new Promise<void>((resolve) => hung.listen(path, () => resolve()));
  await expect(getLocal(path, '/', 50)).rejects.toThrow('no answer within 0.05 s');
  hung.close();
});
