import { observe } from '@yagura/layers';
import { deviceSamples, type Look } from './network-devices.ts';

const at = new Date('2026-01-01T00:00:00Z');
const devices = [{ name: 'default', tap: 'tap0', bridge: 'k6t-eth0' }];
const said = (look: Look) =>
  deviceSamples(devices, look).map((sample) => {
    const { field, value, freshness, error } = observe(sample, at);
    return { field, value, freshness, error };
  });

test('a tap tells whether QEMU holds it, and what passed; a bridge that is gone is missing', () => {
  const links = [
    {
      ifname: 'tap0',
      mtu: 1450,
      flags: ['BROADCAST', 'UP', 'LOWER_UP'],
      stats64: { rx: { bytes: 10, errors: 0, dropped: 1 }, tx: { bytes: 20, errors: 2, dropped: 3 } },
    },
  ];
  expect(said({ links, at })).toEqual([
    {
      field: 'default.tap',
      value: {
        device: 'tap0',
        up: true,
        carrier: true,
        rxBytes: 10,
        rxErrors: 0,
        rxDropped: 1,
        txBytes: 20,
        txErrors: 2,
        txDropped: 3,
      },
      freshness: 'live',
      error: undefined,
    },
    { field: 'default.bridge', value: 'k6t-eth0 is missing', freshness: 'live', error: undefined },
  ]);
});

test('a tap without carrier is one that nobody holds', () => {
  const links = [{ ifname: 'tap0', mtu: 1450, flags: ['NO-CARRIER', 'UP'] }];
  expect(said({ links, at })[0]).toMatchObject({ value: { device: 'tap0', up: true, carrier: false } });
});

test('devices that could not be looked at are unknown, not missing', () => {
  expect(said({ error: 'no process' })).toEqual(
    ['default.tap', 'default.bridge'].map((field) => ({ field, value: null, freshness: 'never', error: 'no process' })),
  );
});
