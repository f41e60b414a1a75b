import type { ContainerProbe, ContainerStatus, Pod } from '@yagura/api';
import { podOf } from '../testing/objects.ts';
import { unreadyContainers } from './readiness.ts';

const container = (name: string, state: ContainerStatus['state'], ready = false): ContainerStatus => ({
  name,
  ready,
  restartCount: 0,
  image: '',
  imageID: '',
  ...(state ? { state } : {}),
});
const running = { running: {} };

function pod(statuses: ContainerStatus[], readinessProbe?: ContainerProbe): Pod {
  const base = podOf('up');
  const [compute, ...others] = base.spec.containers;
  return {
    ...base,
    spec: {
      ...base.spec,
      containers: [{ ...compute, name: 'compute', ...(readinessProbe ? { readinessProbe } : {}) }, ...others],
    },
    status: { ...base.status, containerStatuses: statuses },
  };
}
const guest = container('compute', running);
const probe = (command: string[]): ContainerProbe => ({ exec: { command } });

test.each<[Pod, string]>([
  [pod([container('compute', running, true)]), ''],
  [pod([guest]), 'container compute is not ready'],
  [pod([guest], { httpGet: { port: 80 } }), 'the readiness probe of the guest (HTTP GET on port 80) does not succeed'],
  [pod([guest], { tcpSocket: { port: 22 } }), 'the readiness probe of the guest (TCP on port 22) does not succeed'],
  [
    pod([guest], probe(['virt-probe', '--guestAgentPing'])),
    'the readiness probe of the guest (guest agent ping) does not succeed',
  ],
  [
    pod([guest], probe(['virt-probe', '--command', 'sh', '--'])),
    'the readiness probe of the guest (a command through the guest agent) does not succeed',
  ],
  [
    pod([container('compute', running, true), container('volumeroot', { terminated: { exitCode: 137 } })]),
    'container volumeroot ended with exit code 137',
  ],
  [
    pod([container('volumeroot', { waiting: { reason: 'PodInitializing' } })]),
    'container volumeroot waits (PodInitializing)',
  ],
])('pod %#: %s', (given, text) => {
  expect(unreadyContainers(given)).toBe(text);
});
