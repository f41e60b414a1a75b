import { Router } from './router.ts';

const router = new Router();
const handler = () => ({ status: 200 });
router.add('PUT', '/apis/g/v1/namespaces/:namespace/virtualmachines/:name/start', handler);
router.add('GET', '/apis', handler);

test.each([
  ['PUT', '/apis/g/v1/namespaces/ns/virtualmachines/vm/start', 'route'],
  ['PUT', '/apis/g/v1/namespaces/ns/virtualmachines/vm/start/', 'route'],
  ['GET', '/apis/g/v1/namespaces/ns/virtualmachines/vm/start', 'other-methods'],
  ['PUT', '/apis/g/v1/namespaces/ns/virtualmachines/vm/start/more', 'nothing'],
  ['PUT', '/apis/g/v1/namespaces/ns/virtualmachines/vm', 'nothing'],
  ['HEAD', '/apis', 'route'],
  ['GET', '/', 'nothing'],
])('%s %s is %s', (method, path, found) => {
  expect(router.match(method, path).found).toBe(found);
});

test('parameters are taken from the path by their names', () => {
  const match = router.match('PUT', '/apis/g/v1/namespaces/ns/virtualmachines/vm/start');
  expect(match).toMatchObject({ params: { namespace: 'ns', name: 'vm' } });
});

test('a path that exists for other methods says which', () => {
  expect(router.match('DELETE', '/apis')).toEqual({ found: 'other-methods', allow: ['GET'] });
});
