import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PodPaths } from '../pod/paths.ts';
import { LocalGuests } from './local-guests.ts';

const OURS = '3f2a9c1e-0000-4000-8000-0123456789ab';
const THEIRS = '4f2a9c1e-0000-4000-8000-0123456789ab';

/** A node with these processes, and the directories of our launcher in the first pod. */
function nodeWith(processes: Record<number, { comm: string; pod?: string; start?: string }>) {
  const root = mkdtempSync(join(tmpdir(), 'guests-'));
  const [proc, pods] = [join(root, 'proc'), join(root, 'pods')];
  const paths = new PodPaths(pods, pods);
  mkdirSync(paths.emptyDir(OURS, 'sockets'), { recursive: true });
  mkdirSync(join(proc, 'self'), { recursive: true });
  for (const [pid, { comm, pod, start = '4711' }] of Object.entries(processes)) {
    mkdirSync(join(proc, pid));
    writeFileSync(join(proc, pid, 'comm'), `${comm}\n`);
    writeFileSync(join(proc, pid, 'cgroup'), pod ? `0::/kubepods/pod${pod}/abc\n` : '0::/init.scope\n');
    const fields = ['S', ...Array.from({ length: 18 }, () => '0'), start];
    writeFileSync(join(proc, pid, 'stat'), `${pid} (${comm} (x)) ${fields.join(' ')} 0\n`);
  }
  return new LocalGuests(paths, proc);
}

test('a QEMU in a pod of ours is a guest; other processes, and a QEMU of somebody else, are none', async () => {
  const guests = nodeWith({
    10: { comm: 'qemu-system-x86', pod: OURS },
    11: { comm: 'virtqemud', pod: OURS },
    12: { comm: 'qemu-system-x86', pod: THEIRS },
    13: { comm: 'qemu-system-x86' },
  });
  expect(await guests.find()).toEqual([{ podUid: OURS, pid: 10, start: '4711' }]);
});

test('another process that has got the pid of a guest is not killed', async () => {
  const guests = nodeWith({ [process.pid]: { comm: 'node', pod: OURS } });
  expect(await guests.kill({ podUid: OURS, pid: process.pid, start: '1' })).toBe(false);
  expect(await guests.kill({ podUid: OURS, pid: 999_999_999, start: '1' })).toBe(false);
});
