import type { Pod } from '@yagura/api';
import { createLogger } from '@yagura/runtime';
import { type LocalGuest, podUidOf } from './local-guests.ts';
import { StaleGuests } from './stale-guests.ts';

const log = createLogger('test', '0').child({}, { level: 'silent' });
const guest = (podUid: string): LocalGuest => ({ podUid, pid: 7, start: '1' });
const pod = (uid: string): Pod => ({ metadata: { name: uid, uid }, spec: { containers: [] } });

interface World {
  local: string[];
  cached: string[];
  synced?: boolean;
  stored: string[] | Error;
}

function world({ local, cached, synced = true, stored }: World) {
  const killed: string[] = [];
  let lists = 0;
  const stale = new StaleGuests({
    nodeName: 'node-1',
    client: {
      list: async () => {
        lists++;
        if (stored instanceof Error) throw stored;
        return { metadata: {}, items: stored.map(pod) } as never;
      },
    },
    pods: { hasSynced: synced, store: { list: () => cached.map(pod) } } as never,
    guests: {
      find: async () => local.map(guest),
      kill: async ({ podUid }) => {
        killed.push(podUid);
        return true;
      },
    },
    onKilled: () => {},
    log,
  });
  return { stale, killed, lists: () => lists };
}

test.each<[string, World, string[]]>([
  ['known to the cache', { local: ['a'], cached: ['a'], stored: [] }, []],
  ['known to the API server alone', { local: ['a'], cached: [], stored: ['a'] }, []],
  ['whose pod is gone', { local: ['a', 'b'], cached: ['b'], stored: ['b'] }, ['a']],
  ['before the cache is there', { local: ['a', 'b'], cached: [], synced: false, stored: ['b'] }, ['a']],
])('a guest %s', async (_what, given, killed) => {
  const { stale, killed: found } = world(given);
  await stale.end();
  expect(found).toEqual(killed);
});

test('without an answer of the API server nobody is killed', async () => {
  const { stale, killed } = world({ local: ['a'], cached: [], stored: new Error('no route') });
  await expect(stale.end()).rejects.toThrow('no route');
  expect(killed).toEqual([]);
});

test('a node that returns does not believe what it knew before it was cut off', async () => {
  const { stale, killed } = world({ local: ['a', 'b'], cached: ['a', 'b'], stored: ['b'] });
  await stale.ended(new AbortController().signal);
  expect(killed).toEqual(['a']);
});

test('nobody is asked where there is nothing to ask', async () => {
  const { stale, lists } = world({ local: ['a'], cached: ['a'], stored: [] });
  await stale.end();
  expect(lists()).toBe(0);
});

const UID = '3f2a9c1e-0000-4000-8000-0123456789ab';
test.each([
  ['cgroupfs', `0::/kubepods/burstable/pod${UID}/0123`, UID],
  ['systemd', `0::/kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice/cri-containerd-0123.scope`, UID],
  ['as another pod sees it', `0::/../../pod${UID}/0123`, UID],
  ['no pod', '0::/system.slice/ssh.service', undefined],
])('the pod of a process, %s', (_what, file, uid) => {
  expect(podUidOf(file)).toBe(uid);
});
