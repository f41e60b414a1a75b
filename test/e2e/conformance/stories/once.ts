import { Machine, ns } from '../machine.ts';
import { answers, story } from '../rows.ts';

const once = new Machine(ns, 'once');
export const onceStory = story('Once', [
  [
    'no instance → one is made',
    async () => {
      await once.create({ runStrategy: 'Once' });
      await once.is('Running');
    },
  ],
  answers(once, 'running', 'start', '409 VM is already running'),
  answers(once, 'running', 'restart', '409 Once does not support manual restart requests'),
  [
    'the instance is deleted → another one',
    async () => {
      const before = await once.runs();
      await once.deleteInstance();
      await once.runs(before);
    },
  ],
  [
    'crash → the instance stays Failed',
    async () => {
      await once.crash();
      await once.ended('Failed');
      await once.is('Stopped');
    },
  ],
  answers(once, 'Failed', 'start', '409 Once does not support manual start requests'),
  [
    'stop → Halted, and no instance',
    async () => {
      expect(await once.call('stop')).toBe('202');
      await once.isGone();
      expect(await once.strategy()).toBe('Halted');
    },
  ],
]);
