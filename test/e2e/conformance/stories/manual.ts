import { Machine, ns } from '../machine.ts';
import { answers, story } from '../rows.ts';

const manual = new Machine(ns, 'manual');
export const manualStory = story('Manual', [
  [
    'no instance → none',
    async () => {
      await manual.create({ runStrategy: 'Manual' });
      await manual.isGone();
    },
  ],
  answers(manual, 'no instance', 'stop', '409 VM is not running'),
  answers(manual, 'no instance', 'restart', '409 VM is not running'),
  [
    'paused start → a paused guest, the strategy stays',
    async () => {
      expect(await manual.call('start', { paused: true })).toBe('202');
      await manual.is('Paused');
      expect(await manual.strategy()).toBe('Manual');
    },
  ],
  answers(manual, 'running', 'start', '409 VM is already running'),
  [
    'restart → another instance, which runs',
    async () => {
      const before = await manual.runs();
      expect(await manual.call('restart')).toBe('202');
      await manual.runs(before);
      await manual.is('Running');
    },
  ],
  [
    'crash → the instance stays Failed',
    async () => {
      await manual.crash();
      await manual.ended('Failed');
      await manual.is('Stopped');
    },
  ],
  answers(manual, 'Failed', 'stop', '409 VM is not running'),
  [
    'Failed, start → another instance',
    async () => {
      const before = await manual.ended('Failed');
      expect(await manual.call('start')).toBe('202');
      await manual.runs(before);
      await manual.is('Running');
    },
  ],
  [
    'the instance is deleted → none',
    async () => {
      await manual.deleteInstance();
      await manual.isGone();
    },
  ],
  [
    'stop → none',
    async () => {
      expect(await manual.call('start')).toBe('202');
      await manual.is('Running');
      expect(await manual.call('stop')).toBe('202');
      await manual.isGone();
    },
  ],
]);
