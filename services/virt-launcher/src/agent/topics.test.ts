import { parseAnswer, TOPICS, type Topic } from './topics.ts';

describe('an answer of the guest agent', () => {
  test.each<[Topic, string, unknown]>([
    [
      'agent',
      '{"version":"10.0.2","supported_commands":[{"enabled":true,"name":"guest-ping","success-response":true},{"enabled":false,"name":"guest-exec"}]}',
      {
        version: '10.0.2',
        commands: [
          { name: 'guest-ping', enabled: true },
          { name: 'guest-exec', enabled: false },
        ],
      },
    ],
    [
      'interfaces',
      '[{"name":"lo","ip-addresses":[{"ip-address-type":"ipv4","ip-address":"127.0.0.1","prefix":8}],"hardware-address":"00:00:00:00:00:00"},{"name":"eth0","ip-addresses":[{"ip-address-type":"ipv4","ip-address":"10.0.2.2","prefix":24}],"hardware-address":"52:54:00:AA:BB:CC"},{"name":"sit0"}]',
      [
        {
          name: 'eth0',
          macAddress: '52:54:00:aa:bb:cc',
          addresses: [{ address: '10.0.2.2', prefixLength: 24 }],
        },
        { name: 'sit0', macAddress: undefined, addresses: [] },
      ],
    ],
    [
      'os',
      '{"name":"Debian GNU/Linux","kernel-release":"6.1","version":"12 (bookworm)","pretty-name":"Debian 12","version-id":"12","kernel-version":"#1","machine":"x86_64","id":"debian","variant":""}',
      {
        id: 'debian',
        name: 'Debian GNU/Linux',
        prettyName: 'Debian 12',
        version: '12 (bookworm)',
        versionId: '12',
        kernelRelease: '6.1',
        kernelVersion: '#1',
        machine: 'x86_64',
      },
    ],
    ['hostname', '{"host-name":"demo"}', 'demo'],
    ['timezone', '{"zone":"CET","offset":3600}', 'CET, 3600'],
    ['timezone', '{"offset":0}', 'UTC, 0'],
    ['fsfreeze', '"thawed"', 'thawed'],
    [
      'users',
      '[{"user":"root","login-time":1700000000.25}]',
      [{ name: 'root', domain: undefined, loginTime: 1700000000.25 }],
    ],
    [
      'filesystems',
      '[{"name":"vda1","mountpoint":"/","type":"ext4","used-bytes":9007199254740993,"total-bytes":18446744073709551615,"disk":[{"serial":"S1","bus-type":"virtio","bus":0}]},{"name":"x","mountpoint":"/x","type":"tmpfs","disk":[]}]',
      [
        {
          diskName: 'vda1',
          mountPoint: '/',
          type: 'ext4',
          usedBytes: 9007199254740993n,
          totalBytes: 18446744073709551615n,
          disks: [{ serial: 'S1', busType: 'virtio' }],
        },
        { diskName: 'x', mountPoint: '/x', type: 'tmpfs', usedBytes: undefined, totalBytes: undefined, disks: [] },
      ],
    ],
    ['load', '{"load1m":0.5,"load5m":0.25,"load15m":0}', { oneMinute: 0.5, fiveMinutes: 0.25, fifteenMinutes: 0 }],
  ])('on %s is read', (topic, json, value) => {
    expect(TOPICS[topic].read(parseAnswer(`{"return":${json}}`))).toEqual(value);
  });
});
