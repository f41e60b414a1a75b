import { sshArgs } from './ssh.ts';

test('ssh comes through the cluster, with the same kubeconfig', () => {
  const flags = { port: '2222', identityFile: 'key', sshOption: ['LogLevel=ERROR'] };
  const self = ['/usr/bin/node', '/opt/my tools/yagura.mjs', '--context', '100%'];
  expect(sshArgs({ namespace: 'ns', name: 'vm' }, 'root', flags, ['uname', '-a'], self)).toEqual([
    '-o',
    "ProxyCommand=/usr/bin/node '/opt/my tools/yagura.mjs' --context 100%% port-forward --stdio ns/vm %p",
    '-o',
    'HostKeyAlias=vm.ns.vm',
    '-i',
    'key',
    '-o',
    'LogLevel=ERROR',
    '-p',
    '2222',
    'root@vm.ns',
    'uname',
    '-a',
  ]);
});
