import { accessReview, resourceAttributes } from './access-review.ts';

const vmi = '/apis/subresources.kubevirt.io/v1/namespaces/ns/virtualmachineinstances';

test.each([
  ['PUT', `${vmi}/vm/pause`, { verb: 'update', name: 'vm', subresource: 'pause' }],
  ['GET', `${vmi}/vm/guestosinfo`, { verb: 'get', name: 'vm', subresource: 'guestosinfo' }],
  ['HEAD', `${vmi}/vm/layers`, { verb: 'get', name: 'vm', subresource: 'layers' }],
  ['POST', `${vmi}/vm/x`, { verb: 'create', name: 'vm', subresource: 'x' }],
  ['GET', vmi, { verb: 'list' }],
  ['GET', `${vmi}/vm/portforward/22/tcp`, { verb: 'get', name: 'vm', subresource: 'portforward/22/tcp' }],
])('%s %s asks for %j', (method, path, expected) => {
  expect(resourceAttributes(method, path)).toEqual({
    group: 'subresources.kubevirt.io',
    version: 'v1',
    namespace: 'ns',
    resource: 'virtualmachineinstances',
    ...expected,
  });
});

test.each([
  ['GET', '/apis/subresources.kubevirt.io/v1'],
  ['TRACE', `${vmi}/vm/pause`],
  ['GET', '/healthz'],
])('%s %s has no attributes', (method, path) => {
  expect(resourceAttributes(method, path)).toBeUndefined();
});

test('the review carries all that is known of the user', () => {
  const attributes = { group: 'g', version: 'v1', verb: 'get', resource: 'r' };
  const user = { username: 'jane', uid: '7', groups: ['dev'], extra: { scopes: ['a'] } };
  expect(accessReview(user, attributes)).toMatchObject({
    kind: 'SubjectAccessReview',
    spec: { user: 'jane', uid: '7', groups: ['dev'], extra: { scopes: ['a'] }, resourceAttributes: attributes },
  });
});
