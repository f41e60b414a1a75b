import { Machine, ns } from '../machine.ts';
import { answers, story } from '../rows.ts';

const always = new Machine(ns, 'always');
export const alwaysStory = story('Always', [
  [
    'no instance → one is made',
    async () => {
      await always.create({ runStrategy: 'Always' });
      await always.is('Running');
    },
  ],
  answers(always, 'running', 'start', '409 VM is already running'),
  ['crash → another instance', async () => void (await always.runs(await always.crash()))],
  [
    'the instance is deleted → another one',
    async () => {
      const before = await always.runs();
      await always.deleteInstance();
      await always.runs(before);
    },
  ],
  [
    'restart → another instance, the strategy stays',
    async () => {
      const before = await always.runs();
      expect(await always.call('restart')).toBe('202');
      await always.runs(before);
      await always.is('Running');
      expect(await always.strategy()).toBe('Always');
    },
  ],
  [
    'stop → Halted, and no instance',
    async () => {
      expect(await always.call('stop')).toBe('202');
      await always.isGone();
      expect(await always.strategy()).toBe('Halted');
    },
  ],
]);
