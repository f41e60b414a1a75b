import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SocketLinks } from './socket-links.ts';

test('links follow the launcher, and stale ones of any handler are removed with their empty directories', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'links-'));
  const links = new SocketLinks(directory);
  const demo = { vmiUid: 'u1', namespace: 'default', name: 'demo' };
  await links.ensure({ ...demo, target: '/old' });
  await links.ensure({ ...demo, target: '/new' });
  await links.ensure({ ...demo, target: '/new' });
  await links.ensure({ vmiUid: 'u2', namespace: 'other', name: 'x', target: '/gone' });
  expect(await readlink(join(directory, 'vmi/u1.sock'))).toBe('/new');
  expect(await readlink(join(directory, 'vmi/by-name/default/demo.sock'))).toBe('/new');
  await new SocketLinks(directory).removeWhere((target) => target !== '/new');
  expect((await readdir(join(directory, 'vmi'))).sort()).toEqual(['by-name', 'u1.sock']);
  expect(await readdir(join(directory, 'vmi/by-name'))).toEqual(['default']);
  await rm(directory, { recursive: true });
});
