import { readConfig } from './config.ts';

test('all but the name of the node has a default', () => {
  expect(readConfig({ NODE_NAME: 'node-a' }, [])).toEqual({
    nodeName: 'node-a',
    podName: 'virt-handler',
    localSocket: '/run/yagura/virt-handler.sock',
    version: 'development',
    namespace: 'yagura',
    capabilitiesDir: '/var/lib/yagura/node',
    heartbeatPeriodMs: 60_000,
    podsDir: '/pods',
    hostPodsDir: '/var/lib/kubelet/pods',
    devicePluginsDir: '/var/lib/kubelet/device-plugins',
    shareDir: '/var/run/kubevirt',
    timelineDir: '/var/lib/yagura/timeline',
    containerDiskHelper: '/usr/lib/yagura/container-disk',
    restPort: 8186,
    opsPort: 8443,
    certsFromDir: undefined,
  });
  expect(readConfig({ NODE_NAME: 'n', KUBELET_ROOT: '/k' }, ['--certs-from-dir', '/c'])).toMatchObject({
    hostPodsDir: '/k/pods',
    certsFromDir: '/c',
  });
});

test.each([
  [{}, [], 'NODE_NAME is not set'],
  [{ NODE_NAME: 'n', REST_PORT: 'x' }, [], 'REST_PORT=x is no port number'],
  [{ NODE_NAME: 'n' }, ['--certs-from-dir'], '--certs-from-dir needs a value'],
])('what is wrong is named: %j %j', (env, args, message) => {
  expect(() => readConfig(env, args)).toThrow(message);
});
