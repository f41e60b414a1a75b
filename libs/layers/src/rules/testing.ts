import type { Path } from '../diagnosis/facts.ts';
import type { JsonValue, Layer, Observation } from '../observation.ts';
import { type LayersReport, layersReport } from '../report.ts';

export const now = new Date('2026-11-30T12:00:00Z');
export const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();

/** What a report says at a path: a live value, an observation that differs from a live one, or nothing. */
export type Says = JsonValue | Partial<Observation> | undefined;
export type Saying = Partial<Record<Path, Says>>;

/** A machine that runs for an hour, with an agent that answers. */
export const running: Saying = {
  'kubernetes/vm.printableStatus': 'Running',
  'kubernetes/vm.runStrategy': 'Always',
  'kubernetes/vmi.phase': { value: 'Running', since: ago(3600) },
  'kubernetes/vmi.deletionTimestamp': null,
  'kubernetes/vmi.gracePeriodSeconds': 180,
  'kubernetes/vmi.nodeName': 'node-a',
  'kubernetes/vmi.condition.Ready': { value: 'True', since: ago(3600) },
  'kubernetes/vmi.condition.AgentConnected': { value: 'True', since: ago(3600) },
  'kubernetes/vmi.condition.LiveMigratable': 'True',
  'kubernetes/vmi.paused': false,
  'kubernetes/pod.name': 'virt-launcher-demo-x',
  'kubernetes/pod.phase': 'Running',
  'kubernetes/pod.ready': 'True',
  'kubernetes/node.ready': { value: 'True', maxAge: 300, since: ago(86_400) },
  'kubernetes/node.schedulable': { value: 'true', observedAt: ago(30), maxAge: 180 },
  'kubernetes/virt-controller.lease': { value: ago(2), observedAt: ago(2), maxAge: 30 },
  'kubernetes/clock': ago(0),
  'kubernetes/pvc.data': 'Bound',
  'migration/state': 'none',
  'node/virt-handler': 'answers',
  'node/lease': { value: ago(4), observedAt: ago(4), maxAge: 40 },
  'node/heartbeat': { value: ago(30), observedAt: ago(30), maxAge: 150 },
  'node/schedulable': true,
  'node/launcher.channel': 'answering',
  'domain/state': 'running',
  'domain/reason': 'booted',
  'domain/since': ago(3600),
  'domain/shutdownRequestedAt': null,
  'domain/accelerator': 'kvm',
  'domain/qemu.monitor': 'answering',
  'domain/libvirt.connected': true,
  'domain/cpu.moving': 0.05,
  'domain/pauseRequested': false,
  'domain/rebootRequestedAt': null,
  'domain/rebootedAt': null,
  'guest/agent.channel': { value: 'connected', since: ago(3590) },
  'guest/agent.lastSuccess': { value: ago(1), observedAt: ago(1) },
  'guest/agent.hangingCommand': null,
  'guest/serial.panic': null,
  'guest/serial.goingDownAt': null,
  'guest/agent.version': '10.0.0',
  'guest/hostname': 'demo',
  'guest/os': 'Debian 13',
  'guest/timezone': 'UTC, 0',
  'guest/fsFreeze': 'thawed',
  'guest/users': 1,
  'guest/filesystems': 3,
  'network/default.podIPs': ['10.244.1.5'],
  'network/default.link': 'up',
  'network/default.guestAddresses': ['10.0.2.2', 'fe80::1'],
  'network/default.guestInterfaces': ['eth0'],
  'network/default.chosen': { value: '10.244.1.5', source: "rule: the pod's address behind NAT" },
  'network/default.arp': 'answers',
};

/** What is said no more once nobody on the node answers. */
export const withoutNode: Saying = Object.fromEntries(
  Object.keys(running)
    .filter((path) => /^(node|domain|guest|network)\//.test(path))
    .map((path) => [path, undefined]),
);

/** What is said before a launcher has begun. */
export const beforeStart: Saying = {
  ...withoutNode,
  'kubernetes/vm.printableStatus': 'Starting',
  'kubernetes/vmi.phase': { value: 'Scheduling', since: ago(5) },
  'kubernetes/vmi.nodeName': null,
  'kubernetes/vmi.condition.Ready': 'False: GuestNotRunning: the guest does not run',
  'kubernetes/vmi.condition.AgentConnected': undefined,
  'kubernetes/vmi.condition.LiveMigratable': undefined,
  'kubernetes/pod.phase': 'Pending',
  'kubernetes/pod.ready': 'False',
  'kubernetes/node.ready': undefined,
  'kubernetes/node.schedulable': undefined,
};

/** The report of a running machine, but for what is said otherwise. */
export function reportOf(said: Saying): LayersReport {
  const observations = Object.entries({ ...running, ...said }).flatMap(([path, says]) =>
    says === undefined ? [] : [observation(path as Path, says)],
  );
  return layersReport({ namespace: 'default', name: 'demo', uid: 'u', node: 'node-a' }, observations, now);
}

function observation(path: Path, says: Exclude<Says, undefined>): Observation {
  const [layer = '', ...field] = path.split('/');
  const part = typeof says === 'object' && says !== null && !Array.isArray(says) ? says : { value: says };
  return {
    layer: layer as Layer,
    field: field.join('/'),
    value: null,
    source: 'test',
    observedAt: now.toISOString(),
    maxAge: 10,
    freshness: 'live',
    ...part,
  };
}
