import { ago, now, reportOf, type Saying } from '../rules/testing.ts';
import { compareStatus } from './compare.ts';

const said = (saying: Saying) =>
  Object.fromEntries(
    compareStatus(reportOf({ 'kubernetes/vmi.guestOS': 'Debian 13', ...saying }).observations, now).map(
      ({ field, shown, now: source, agrees, lagSeconds }) => [field, [shown, source, agrees, lagSeconds]],
    ),
  );

test('an object that shows what its sources say is not behind', () => {
  expect(said({})).toEqual({
    'status.phase': ['Running', 'Running', true, 0],
    'Paused condition': [false, false, true, 0],
    'AgentConnected condition': [true, true, true, 0],
    'status.guestOSInfo': ['Debian 13', 'Debian 13', true, 0],
    'status.fsFreezeStatus': ['thawed', 'thawed', true, 0],
    'status.interfaces[default].ipAddress': ['10.244.1.5', ['10.244.1.5'], true, 0],
  });
});

test.each([
  [
    'paused, and not shown',
    { 'domain/state': 'paused', 'domain/reason': 'user', 'domain/since': ago(3) },
    'Paused condition',
    [false, true, false, 3],
  ],
  [
    'paused for a moment by libvirt',
    { 'domain/state': 'paused', 'domain/reason': 'save' },
    'Paused condition',
    [false, false, true, 0],
  ],
  [
    'running, and not shown',
    { 'kubernetes/vmi.phase': 'Scheduled', 'domain/since': ago(5) },
    'status.phase',
    ['Scheduled', 'Running', false, 5],
  ],
  [
    'ended, and not shown',
    { 'domain/state': 'shutoff', 'domain/end.outcome': 'qemu gone', 'domain/since': ago(2) },
    'status.phase',
    ['Running', 'Failed', false, 2],
  ],
  [
    'shut down',
    { 'domain/state': 'shutoff', 'domain/end.outcome': 'shutdown', 'kubernetes/vmi.phase': 'Succeeded' },
    'status.phase',
    ['Succeeded', 'Succeeded', true, 0],
  ],
  [
    'without its agent',
    { 'guest/agent.channel': { value: 'disconnected', since: ago(7) } },
    'AgentConnected condition',
    [true, false, false, 7],
  ],
  ['another system', { 'guest/os': 'Debian 14' }, 'status.guestOSInfo', ['Debian 13', 'Debian 14', false, null]],
  [
    'not heard of',
    { 'domain/state': { value: 'running', freshness: 'lost' } },
    'status.phase',
    ['Running', null, null, null],
  ],
  ['frozen', { 'guest/fsFreeze': 'frozen' }, 'status.fsFreezeStatus', ['thawed', 'frozen', false, null]],
  [
    'at another address',
    { 'network/default.podIPs': ['10.244.1.9'] },
    'status.interfaces[default].ipAddress',
    ['10.244.1.5', ['10.244.1.9'], false, null],
  ],
] as [string, Saying, string, unknown[]][])('a guest that is %s', (_, saying, field, expected) => {
  expect(said(saying)[field]).toEqual(expected);
});

test('without an object, or without a node, nothing is compared', () => {
  expect(said({ 'kubernetes/vmi.phase': { value: null, freshness: 'never' } })).toEqual({});
  expect(said({ 'domain/state': undefined })).not.toHaveProperty(['status.phase']);
});
