import { Machine, ns } from '../machine.ts';
import { answers, story } from '../rows.ts';

const halted = new Machine(ns, 'halted');
export const haltedStory = story('Halted', [
  [
    'no instance → none',
    async () => {
      await halted.create({ runStrategy: 'Halted' });
      await halted.isGone();
    },
  ],
  answers(halted, 'no instance', 'stop', '409 VM is not running'),
  answers(halted, 'no instance', 'restart', '409 Halted does not support manual restart requests'),
  [
    'start, dry run → nothing',
    async () => {
      expect(await halted.call('start', { dryRun: ['All'] })).toBe('202');
      expect(await halted.strategy()).toBe('Halted');
    },
  ],
  [
    'paused start → Always, and a paused guest',
    async () => {
      expect(await halted.call('start', { paused: true })).toBe('202');
      await halted.is('Paused');
      expect(await halted.strategy()).toBe('Always');
    },
  ],
  [
    'a running instance → it is deleted',
    async () => {
      await halted.patch({ runStrategy: 'Halted' });
      await halted.isGone();
    },
  ],
  [
    'start → Always',
    async () => {
      expect(await halted.call('start')).toBe('202');
      await halted.is('Running');
      expect(await halted.strategy()).toBe('Always');
      await halted.patch({ runStrategy: 'Halted' });
    },
  ],
]);
