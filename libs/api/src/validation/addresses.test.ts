import { isCidr4, isIPv4, isIPv6, isMac } from './addresses.ts';

test.each([
  ['10.0.2.0', true],
  ['255.255.255.255', true],
  ['256.0.0.1', false],
  ['1.2.3', false],
  ['1.2.3.4.5', false],
  ['01.2.3.4', false],
])('IPv4 %s: %s', (text, valid) => {
  expect(isIPv4(text)).toBe(valid);
});

test.each([
  ['::', true],
  ['::1', true],
  ['fd10:0:2::1', true],
  ['1:2:3:4:5:6:7:8', true],
  ['::ffff:10.0.0.1', true],
  ['1:2:3:4:5:6:7', false],
  ['1:2:3:4:5:6:7:8:9', false],
  ['1::2::3', false],
  ['12345::', false],
  ['10.0.0.1', false],
])('IPv6 %s: %s', (text, valid) => {
  expect(isIPv6(text)).toBe(valid);
});

test.each([
  ['10.0.2.0/24', true],
  ['10.0.2.0/30', true],
  ['10.0.2.0/31', false],
  ['10.0.2.0', false],
  ['10.0.2.0/24/1', false],
  ['fd10::/64', false],
])('network %s: %s', (text, valid) => {
  expect(isCidr4(text)).toBe(valid);
});

test.each([
  ['de:ad:00:00:be:af', true],
  ['DE-AD-00-00-BE-AF', true],
  ['de:ad-00:00:be:af', false],
  ['de:ad:00:00:be', false],
  ['de:ad:00:00:be:af:00', false],
])('MAC %s: %s', (text, valid) => {
  expect(isMac(text)).toBe(valid);
});
