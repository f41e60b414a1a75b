import { authenticate, parseRequestHeaderConfig } from './request-header.ts';

const config = parseRequestHeaderConfig({
  'requestheader-client-ca-file': 'PEM',
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
});
const proxy = { authorized: true, commonName: 'front-proxy-client' };
const headers = {
  'x-remote-user': ['jane'],
  'x-remote-group': ['dev', 'system:authenticated'],
  'x-remote-extra-scopes%2fa': ['one', 'two'],
};

test('the front proxy speaks for the user in its headers', () => {
  expect(authenticate(headers, proxy, config)).toEqual({
    ok: true,
    user: { username: 'jane', groups: ['dev', 'system:authenticated'], extra: { 'scopes/a': ['one', 'two'] } },
  });
});

test.each([
  ['a peer without a certificate that the CA signed', { authorized: false, commonName: undefined }, headers, config],
  ['a certificate of the same CA under another name', { authorized: true, commonName: 'admin' }, headers, config],
  ['headers without a user', proxy, { 'x-remote-group': ['system:masters'] }, config],
  ['an empty user name', proxy, { 'x-remote-user': [''] }, config],
  ['a cluster that names no front-proxy CA', proxy, headers, undefined],
])('%s is nobody', (_what, peer, given, configured) => {
  expect(authenticate(given, peer, configured)).toMatchObject({ ok: false, why: expect.any(String) });
});

test('without allowed names every certificate of the CA may act as front proxy', () => {
  const open = parseRequestHeaderConfig({ 'requestheader-client-ca-file': 'PEM', 'requestheader-allowed-names': '[]' });
  expect(authenticate(headers, { authorized: true, commonName: 'anything' }, open)).toMatchObject({ ok: true });
});

test('without a client CA there is no configuration', () => {
  expect(parseRequestHeaderConfig({})).toBeUndefined();
});
