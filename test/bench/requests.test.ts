import { parseRequestTotals, perItem, total, writesBetween } from './requests.ts';

const line = (verb: string, resource: string, count: number, subresource = '') =>
  `apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="${resource}",scope="resource",subresource="${subresource}",verb="${verb}",version="v1"} ${count}`;

test('writes are counted by verb and resource, reads are not, and the idle share is taken off', () => {
  const before = parseRequestTotals([line('PATCH', 'pods', 10, 'status'), line('GET', 'pods', 5)].join('\n'));
  const after = parseRequestTotals(
    [
      line('PATCH', 'pods', 30, 'status'),
      line('GET', 'pods', 50),
      line('PUT', 'leases', 40),
      line('POST', 'events', 8),
    ].join('\n'),
  );
  const writes = writesBetween(before, after);
  expect([...writes]).toEqual([
    ['PATCH pods/status', 20],
    ['PUT leases', 40],
    ['POST events', 8],
  ]);
  const own = perItem(writes, new Map([['PUT leases', 20]]), 2, 4);
  expect([...own]).toEqual([
    ['PATCH pods/status', 5],
    ['POST events', 2],
  ]);
  expect(total(own, (key) => !key.endsWith(' events'))).toBe(5);
});
