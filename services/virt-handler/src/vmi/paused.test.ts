import type { VirtualMachineInstance } from '@yagura/api';
import { type Domain, DomainState } from '@yagura/contracts';
import { paused, tellIoError } from './paused.ts';

const root = { volume: 'root', device: 'vda', reason: 'enospc' };
const domain = (stateReason: string, ioErrors: object[] = []) =>
  ({ state: DomainState.PAUSED, stateReason, ioErrors }) as unknown as Domain;
const vmi = (wanted: object | undefined) =>
  ({ status: { conditions: wanted ? [{ type: 'Paused', ...wanted }] : [] } }) as unknown as VirtualMachineInstance;

const byUser = paused(domain('user'));
const full = paused(domain('I/O error', [root, root]));
const unknown = paused(domain('ioerror'));

test.each<[string, object | undefined, object | undefined, string[]]>([
  ['nothing', undefined, undefined, []],
  ['a pause that was asked for', undefined, byUser, []],
  ['a full disk', undefined, full, ['root (enospc)']],
  ['a full disk of a guest that was paused already', byUser, full, ['root (enospc)']],
  ['the same full disk', full, full, []],
  ['a disk that is not known', undefined, unknown, ['']],
  ['one that is known now', unknown, full, []],
  ['a guest that runs again', full, undefined, []],
])('%s between two readings is told accordingly', (_, before, after, expected) => {
  const told: string[] = [];
  tellIoError(vmi(before), vmi(after), { ioError: (_vmi, volumes) => void told.push(volumes) });
  expect(told).toEqual(expected);
});

test('a domain that migration or its start has paused is not told to be', () => {
  expect(paused(domain('migration'))).toBeUndefined();
  expect(paused(domain('starting up'))).toBeUndefined();
});
