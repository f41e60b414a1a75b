import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VmiEvents } from './events.ts';
import { testVmi } from './testing.ts';

const at = new Date(0);

test.each<[string, (events: VmiEvents) => void]>([
  ['Normal Created', (events) => events.created(testVmi())],
  ['Normal Started', (events) => events.started(testVmi())],
  ['Normal Stopped', (events) => events.stopped(testVmi(), { phase: 'Succeeded', reason: undefined, message: 'm' })],
  ['Warning Stopped', (events) => events.stopped(testVmi(), { phase: 'Failed', reason: 'GuestCrashed', message: 'm' })],
  ['Warning GuestPanicked', (events) => events.guestPanicked(testVmi(), 'm')],
  ['Normal ShuttingDown', (events) => events.shuttingDown(testVmi())],
  ['Normal Deleted', (events) => events.deleted(testVmi())],
  ['Warning HostModelIsObsolete', (events) => events.hostModelIsObsolete('node-a', 'Skylake')],
  ['Warning SyncFailed', (events) => events.syncFailed(testVmi(), 'm')],
  ['Warning LauncherRestarted', (events) => events.launcherRestarted(testVmi(), at)],
  ['Warning LibvirtRestarted', (events) => events.libvirtRestarted(testVmi(), at)],
  ['Warning IOerror', (events) => events.ioError(testVmi(), 'root (enospc)')],
  ['Warning GuestAgentPingFailed', (events) => events.guestAgentPingFailed(testVmi(), 'm')],
  ['Normal Paused', (events) => events.request(testVmi(), 'Paused', 'm')],
])('%s', (text, tell) => {
  const told: string[] = [];
  const events = new VmiEvents({
    normal: (_subject, reason) => told.push(`Normal ${reason}`),
    warning: (_subject, reason) => told.push(`Warning ${reason}`),
  });
  tell(events);
  expect(told).toEqual([text]);
});

test('events are recorded in one place, so that a reason has one wording', () => {
  const root = join(import.meta.dirname, '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!test)\.ts$/.test(file));
  const recording = files.filter((file) =>
    /[rR]ecorder\.(normal|warning)\(/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(recording).toEqual(['vmi/events.ts']);
});
