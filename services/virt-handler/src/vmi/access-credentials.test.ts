import type { Condition, VirtualMachineInstance } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import { tellCredentials, withCredentials } from './access-credentials.ts';

const NOW = '2026-01-01T00:00:00Z';
const domain = (accessCredentials?: object) => ({ accessCredentials }) as unknown as Domain;
const vmi = (conditions: Condition[]) =>
  ({ metadata: { name: 'a' }, status: { conditions } }) as unknown as VirtualMachineInstance;

const none: Condition[] = [];
const failed = withCredentials(none, domain({ succeeded: false, message: 'no user "ann"' }), NOW);
const done = withCredentials(failed, domain({ succeeded: true, message: '' }), NOW);

test('the condition says what the launcher says, and stays while it says nothing', () => {
  expect(failed).toMatchObject([{ type: 'AccessCredentialsSynchronized', status: 'False', message: 'no user "ann"' }]);
  expect(done).toMatchObject([{ type: 'AccessCredentialsSynchronized', status: 'True' }]);
  expect(withCredentials(done, domain(), NOW)).toBe(done);
  expect(withCredentials(none, domain(), NOW)).toBe(none);
});

test.each<[string, Condition[], Condition[], (string | undefined)[]]>([
  ['nothing', none, none, []],
  ['a failure', none, failed, ['no user "ann"']],
  ['the same failure', failed, failed, []],
  ['a success', failed, done, [undefined]],
])('%s between two readings is told accordingly', (_, before, after, expected) => {
  const told: (string | undefined)[] = [];
  tellCredentials(vmi(before), vmi(after), { accessCredentials: (_vmi, problem) => void told.push(problem) });
  expect(told).toEqual(expected);
});
