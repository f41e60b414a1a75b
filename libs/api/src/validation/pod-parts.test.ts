import { causes, D, devices, domain } from './testing/causes.ts';

test.each<[string, object, string]>([
  ['a negative grace period', { terminationGracePeriodSeconds: -1 }, 'Invalid spec.terminationGracePeriodSeconds'],
  ['a host name with a dot', { hostname: 'a.b' }, 'Invalid spec.hostname'],
  ['a subdomain with an underscore', { subdomain: 'a_b' }, 'Invalid spec.subdomain'],
  [
    'an eviction strategy that waits for a migration',
    { evictionStrategy: 'LiveMigrate' },
    'NotSupported spec.evictionStrategy',
  ],
  ['an unknown eviction strategy', { evictionStrategy: 'Run' }, 'NotSupported spec.evictionStrategy'],
  ['an unknown architecture', { architecture: 'm68k' }, 'NotSupported spec.architecture'],
  ['an unknown start strategy', { startStrategy: 'Later' }, 'NotSupported spec.startStrategy'],
  ['a probe without a handler', { readinessProbe: {} }, 'Required spec.readinessProbe'],
  [
    'a probe with two',
    { readinessProbe: { tcpSocket: { port: 1 }, httpGet: { port: 1 } } },
    'Invalid spec.readinessProbe',
  ],
  [
    'a probe without the pod network',
    { readinessProbe: { tcpSocket: { port: 1 } }, ...devices({ autoattachPodInterface: false }) },
    'Invalid spec.readinessProbe',
  ],
  [
    'a port that is none',
    { readinessProbe: { tcpSocket: { port: 'http' } } },
    'Invalid spec.readinessProbe.tcpSocket.port',
  ],
  [
    'another scheme',
    { readinessProbe: { httpGet: { port: 1, scheme: 'FTP' } } },
    'NotSupported spec.readinessProbe.httpGet.scheme',
  ],
  ['no command', { readinessProbe: { exec: { command: [] } } }, 'Required spec.readinessProbe.exec.command'],
  [
    'a negative period',
    { readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1 } },
    'Invalid spec.readinessProbe.periodSeconds',
  ],
  [
    'a liveness probe that has to succeed twice, which no pod may have',
    { livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } },
    'Invalid spec.livenessProbe.successThreshold',
  ],
  [
    'a paused start with a liveness probe',
    { startStrategy: 'Paused', livenessProbe: { tcpSocket: { port: 22 } } },
    'Invalid spec.startStrategy',
  ],
  ['a DNS policy of None without servers', { dnsPolicy: 'None' }, 'Required spec.dnsConfig.nameservers'],
  ['an unknown DNS policy', { dnsPolicy: 'Guess' }, 'NotSupported spec.dnsPolicy'],
  [
    'a name server that is no address',
    { dnsConfig: { nameservers: ['dns.example.com'] } },
    'Invalid spec.dnsConfig.nameservers[0]',
  ],
  [
    'four name servers',
    { dnsConfig: { nameservers: ['::1', '::2', '::3', '::4'] } },
    'Invalid spec.dnsConfig.nameservers',
  ],
  ['a search domain that is none', { dnsConfig: { searches: ['a b'] } }, 'Invalid spec.dnsConfig.searches[0]'],
  ['a UUID that is none', { domain: domain({ firmware: { uuid: 'demo' } }) }, 'Invalid spec.domain.firmware.uuid'],
  ['a keyboard', devices({ inputs: [{ name: 'k', type: 'keyboard' }] }), `Invalid ${D}.inputs[0].type`],
  [
    'a watchdog that sings',
    devices({ watchdog: { name: 'w', i6300esb: { action: 'sing' } } }),
    `NotSupported ${D}.watchdog.i6300esb.action`,
  ],
  [
    'secure boot without SMM',
    { domain: domain({ firmware: { bootloader: { efi: {} } } }) },
    'Invalid spec.domain.firmware.bootloader.efi.secureBoot',
  ],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test('a readiness probe may have to succeed twice', () => {
  expect(causes({ readinessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } })).toEqual([]);
});

test('a grace period of zero is accepted', () => {
  expect(causes({ terminationGracePeriodSeconds: 0 })).toEqual([]);
});
