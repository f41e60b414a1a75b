import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUP_CALLS, SUBRESOURCES, type Subresource } from './table.ts';

const CHART = join(import.meta.dirname, '../../../../charts/yagura/templates/rbac/users.yaml');
/** Getting these is acting in the guest, not looking at it. */
const CONNECT = ['portforward', 'console', 'vnc', 'vnc/screenshot'];

/** The names in one of the chart's lists; the roles are made of these alone. */
function listed(list: string): string[] {
  const line = new RegExp(`^\\{\\{- \\$${list} := list (.*) \\}\\}$`, 'm').exec(readFileSync(CHART, 'utf8'))?.[1] ?? '';
  return [...line.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? '').sort();
}

function inTable(wanted: (subresource: Subresource) => boolean): string[] {
  const all: readonly Subresource[] = SUBRESOURCES;
  return [...new Set(all.filter(wanted).map(({ resource, name }) => `${resource}/${name}`))].sort();
}

const connects = ({ name }: Subresource) => CONNECT.includes(name);

test.each<[list: string, wanted: (subresource: Subresource) => boolean]>([
  ['read', (subresource) => subresource.method === 'GET' && !connects(subresource)],
  ['connect', (subresource) => subresource.method === 'GET' && connects(subresource)],
  ['change', ({ method }) => method === 'PUT'],
])('the users’ roles grant every subresource there is, and no other: %s', (list, wanted) => {
  expect(listed(list)).toEqual(inTable(wanted));
});

test.each<[name: string, verbs: string]>([
  ['expand-vm-spec', '[update]'],
  ['version, guestfs', '[get, list]'],
])('%s: the users’ roles allow %s', (names, verbs) => {
  expect(readFileSync(CHART, 'utf8')).toContain(`resources: [${names}]\n    verbs: ${verbs}\n`);
  for (const name of names.split(', ')) expect(GROUP_CALLS.map((call): string => call.name)).toContain(name);
});
