import { Machine, ns, shutsItselfDown } from '../machine.ts';
import { type Row, story } from '../rows.ts';

const always = new Machine(ns, 'shut-always');
const rerun = new Machine(ns, 'shut-rerun');
const manual = new Machine(ns, 'shut-manual');
const once = new Machine(ns, 'shut-once');

const stories: Row[][] = [
  [
    [
      'Always → another instance',
      async () => {
        await always.create({ runStrategy: 'Always' }, shutsItselfDown);
        await always.runs(await always.runs());
        await always.patch({ runStrategy: 'Halted' });
        await always.isGone();
      },
    ],
  ],
  [
    [
      'RerunOnFailure → none',
      async () => {
        await rerun.create({ runStrategy: 'RerunOnFailure' }, shutsItselfDown);
        await rerun.runs();
        await rerun.isGone();
        expect(await rerun.strategy()).toBe('RerunOnFailure');
      },
    ],
  ],
  [
    [
      'Manual → the instance stays Succeeded',
      async () => {
        await manual.create({ runStrategy: 'Manual' }, shutsItselfDown);
        await manual.isGone();
        expect(await manual.call('start')).toBe('202');
        await manual.ended('Succeeded');
        await manual.is('Stopped');
      },
    ],
    [
      'Manual, Succeeded, start → another instance',
      async () => {
        const before = await manual.ended('Succeeded');
        expect(await manual.call('start')).toBe('202');
        await manual.runs(before);
        await manual.ended('Succeeded');
      },
    ],
  ],
  [
    [
      'Once → the instance stays Succeeded',
      async () => {
        await once.create({ runStrategy: 'Once' }, shutsItselfDown);
        await once.ended('Succeeded');
        await once.is('Stopped');
        await once.patch({ runStrategy: 'Halted' });
      },
    ],
  ],
];

export const shutDownStories = stories.map((rows) => story('the guest shuts itself down', rows));
