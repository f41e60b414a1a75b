import { eventually } from '../../support/eventually.ts';
import { fullNs, Machine } from '../machine.ts';
import { answers, story } from '../rows.ts';

const full = {
  always: new Machine(fullNs, 'always'),
  once: new Machine(fullNs, 'once'),
  manual: new Machine(fullNs, 'manual'),
};
export const refusedStory = story('no instance is possible', [
  [
    'an instance that is refused → Failure says why',
    async () => {
      await Promise.all([
        full.always.create({ runStrategy: 'Always' }),
        full.once.create({ runStrategy: 'Once' }),
        full.manual.create({ runStrategy: 'Manual' }),
      ]);
      await eventually('the refusal is told', 20_000, async () => {
        const { status } = await full.always.vm();
        return status?.conditions?.some(
          ({ type, reason, message }) => type === 'Failure' && reason === 'FailedCreate' && /quota/.test(message ?? ''),
        );
      });
    },
  ],
  answers(full.always, 'Always without instance', 'start', '409 Always does not support manual start requests'),
  answers(full.always, 'Always without instance', 'restart', '409 VM is not running'),
  answers(full.once, 'Once without instance', 'start', '409 Once does not support manual start requests'),
  answers(full.manual, 'Manual without instance', 'start', '202'),
  answers(
    full.manual,
    'Manual about to start',
    'start',
    '500 Internal error occurred: unable to complete request: stop/start already underway',
  ),
  answers(new Machine(fullNs, 'nobody'), 'no machine', 'start', '404 virtualmachine.kubevirt.io "nobody" not found'),
  ['a body that is no JSON → 400', async () => expect(await full.always.call('stop', '{')).toMatch(/^400 .*JSON/)],
]);
