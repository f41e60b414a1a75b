import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Diagnosis } from '../diagnosis/types.ts';
import type { Observation } from '../observation.ts';
import type { LayersReport } from '../report.ts';
import { rules } from './index.ts';
import { unknown } from './ordinary.ts';
import { ago, beforeStart, now, reportOf, type Saying, withoutNode } from './testing.ts';

/** All rules that hold, the verdict's first. */
function signals({ verdict, others, contradictions, remarks }: Diagnosis): string[] {
  return [...new Set([verdict, ...others, ...contradictions, ...remarks].map(({ signal }) => signal))];
}

const never = (error?: string): Partial<Observation> => ({
  value: null,
  observedAt: null,
  freshness: 'never',
  ...(error === undefined ? {} : { error }),
});
const stale = (value: string | null, seconds: number, error?: string): Partial<Observation> => ({
  value,
  observedAt: ago(seconds),
  freshness: 'stale',
  ...(error === undefined ? {} : { error }),
});
const lost = (value: string): Partial<Observation> => ({
  value,
  observedAt: ago(20),
  freshness: 'lost',
  error: 'gone',
});

const stoppedVm: Saying = {
  ...beforeStart,
  'kubernetes/vm.printableStatus': 'Stopped',
  'kubernetes/vm.runStrategy': 'Halted',
  'kubernetes/vmi.phase': 'no such object',
  'kubernetes/vmi.deletionTimestamp': undefined,
  'kubernetes/vmi.condition.Ready': undefined,
  'kubernetes/vmi.paused': undefined,
  'kubernetes/pod.name': undefined,
  'kubernetes/pod.phase': undefined,
  'kubernetes/pod.ready': undefined,
  'migration/state': undefined,
};
const paused: Saying = {
  'domain/state': 'paused',
  'domain/reason': 'user',
  'domain/since': ago(30),
  'domain/pauseRequested': true,
  'kubernetes/vm.printableStatus': 'Paused',
  'kubernetes/vmi.paused': true,
  'kubernetes/vmi.condition.Paused': 'True: PausedByUser: VMI was paused by user',
  'kubernetes/vmi.condition.Ready': { value: 'False: ReadinessGatesNotReady', since: ago(30) },
  'guest/agent.lastSuccess': stale(ago(30), 30, 'no answer'),
  'network/default.arp': 'silent',
};
const mute: Saying = { 'guest/agent.lastSuccess': stale(ago(12), 12, 'no answer in 4 s') };
const launcherLost: Saying = {
  'node/launcher.channel': lost('gone'),
  'domain/state': lost('running'),
  'domain/shutdownRequestedAt': { ...lost(''), value: null },
  'guest/agent.channel': lost('connected'),
  'guest/agent.lastSuccess': lost(ago(20)),
};
const ended = (outcome: string): Saying => ({
  'domain/state': 'shutoff',
  'domain/end.outcome': outcome,
  'domain/end.message': 'last words',
  'domain/end.time': ago(1),
  'domain/qemu.monitor': never(),
  'guest/agent.channel': 'disconnected',
});
const failed = (reason: string): Saying => ({
  ...withoutNode,
  'kubernetes/vmi.phase': { value: 'Failed', since: ago(3) },
  'kubernetes/vmi.reason': reason,
  'kubernetes/vmi.condition.Ready': 'False',
  'kubernetes/pod.phase': 'Failed',
});
const handlerSilent: Saying = {
  ...withoutNode,
  'node/virt-handler': never('virt-handler on node node-a does not answer: timed out'),
};
const lease = (seconds: number): Partial<Observation> => ({
  value: ago(seconds),
  observedAt: ago(seconds),
  freshness: seconds > 40 ? 'stale' : 'live',
});
const nodeNotReady: Partial<Observation> = {
  value: 'Unknown',
  since: ago(50),
  error: 'NodeStatusUnknown: Kubelet stopped posting node status.',
};
const outOfSync = (text: string): Saying => ({
  ...beforeStart,
  'kubernetes/vmi.condition.Synchronized': { value: `False: ${text}`, since: ago(3) },
});
const unscheduled = (text: string, seconds = 3): Saying => ({
  ...beforeStart,
  'kubernetes/pod.condition.PodScheduled': { value: `False: Unschedulable: ${text}`, since: ago(seconds) },
});
const migrating: Saying = {
  'migration/state': { value: 'running', since: ago(2) },
  'migration/sourceNode': 'node-a',
  'migration/targetNode': 'node-b',
  'kubernetes/pod.name': undefined,
  'kubernetes/pod.phase': undefined,
  'kubernetes/pod[a].phase': 'Running',
  'kubernetes/pod[b].phase': 'Running',
};
const bridge = { value: '10.244.1.5', source: "rule: the pod's address first" };

/** What happens, what the layers then say, and all rules that hold, the verdict first. */
const cases: [what: string, said: Saying, holding: string[]][] = [
  // Ordinary life.
  ['a machine runs', {}, ['running']],
  [
    'it runs without an agent',
    {
      'guest/agent.channel': 'never connected',
      'guest/agent.lastSuccess': never(),
      'kubernetes/vmi.condition.AgentConnected': undefined,
    },
    ['running', 'no-agent'],
  ],
  ['it is emulated', { 'domain/accelerator': 'tcg' }, ['running', 'emulated']],
  ['it is off', stoppedVm, ['stopped']],
  [
    'its run is over',
    { ...failed(''), 'kubernetes/vmi.phase': 'Succeeded', 'kubernetes/vmi.reason': undefined },
    ['stopped'],
  ],
  ['it was deleted before it ran', failed('Deleted'), ['stopped']],
  [
    'a run that was killed on request is removed',
    { ...failed('DomainDestroyed'), 'kubernetes/vmi.deletionTimestamp': ago(1) },
    ['stopped'],
  ],
  [
    'virt-handler knows no more of a run that is over',
    { ...failed('Deleted'), 'node/virt-handler': never('answers 404') },
    ['stopped'],
  ],
  [
    'a crashed run is removed for the next',
    { ...failed('QemuGone'), 'kubernetes/vmi.deletionTimestamp': ago(1) },
    ['qemu-gone'],
  ],
  ['it has just been created', { ...beforeStart, 'kubernetes/vmi.phase': { value: '', since: ago(0) } }, ['starting']],
  ['its pod is being made', beforeStart, ['starting']],
  ['its machine waits for its instance', { ...stoppedVm, 'kubernetes/vm.printableStatus': 'Starting' }, ['starting']],
  [
    'its launcher comes up',
    {
      ...beforeStart,
      'kubernetes/vmi.phase': { value: 'Scheduled', since: ago(2) },
      'kubernetes/pod.phase': 'Running',
      'node/virt-handler': 'answers',
      'node/launcher.channel': never('no launcher of the instance is on this node'),
    },
    ['starting'],
  ],
  [
    'its volume is being made',
    unscheduled('0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims'),
    ['starting'],
  ],
  [
    'its guest boots',
    {
      'domain/since': ago(5),
      'kubernetes/vmi.phase': { value: 'Running', since: ago(4) },
      'kubernetes/vmi.condition.Ready': { value: 'False: ContainersNotReady', since: ago(9) },
      'guest/agent.channel': 'never connected',
      'guest/agent.lastSuccess': never(),
      'network/default.guestAddresses': never(),
      'network/default.arp': 'silent',
      'kubernetes/vmi.condition.AgentConnected': undefined,
      'network/default.chosen': { ...bridge, value: null, source: "rule: the pod's address behind NAT" },
    },
    ['running', 'no-agent'],
  ],
  [
    'it is being stopped',
    {
      'kubernetes/vmi.deletionTimestamp': ago(5),
      'domain/shutdownRequestedAt': ago(5),
      'guest/agent.channel': 'disconnected',
      'kubernetes/pod.phase': 'Running (terminating)',
    },
    ['stopping'],
  ],
  [
    'it is being stopped and its launcher is gone',
    { ...launcherLost, 'kubernetes/vmi.deletionTimestamp': ago(5) },
    ['stopping'],
  ],
  ['its guest shuts itself down', { 'domain/state': 'shutdown', 'guest/agent.channel': 'disconnected' }, ['stopping']],
  ['its guest has shut itself down', ended('shutdown'), ['ended']],
  ['it was paused by its user', paused, ['paused-by-user']],
  [
    'it was paused a moment ago',
    { ...paused, 'domain/since': ago(1), 'kubernetes/vmi.paused': false, 'kubernetes/vmi.condition.Paused': undefined },
    ['paused-by-user'],
  ],
  ['it was unpaused a moment ago', { 'domain/since': ago(1), 'kubernetes/vmi.paused': true }, ['running']],
  [
    'libvirt pauses it for a moment',
    { 'domain/state': 'paused', 'domain/reason': 'starting-up', 'domain/since': ago(1) },
    ['pausing'],
  ],
  ['it moves', migrating, ['migrating']],
  [
    'its file systems are frozen',
    { 'guest/fsFreeze': 'frozen', 'guest/hostname': stale('demo', 300, 'disabled while frozen') },
    ['running', 'filesystems-frozen'],
  ],
  ['nobody asks the agent because of a long question', { 'guest/agent.lastSuccess': stale(ago(40), 40) }, ['running']],

  // Who watches.
  ['virt-api is gone', { ...nothing(), 'kubernetes/virt-api': never('503') }, ['virt-api-silent']],
  ['virt-api is gone, and its node tells', { 'kubernetes/virt-api': never('503') }, ['virt-api-silent']],
  [
    'virt-api is gone, and its node may not be asked',
    { ...withoutNode, 'kubernetes/virt-api': never('503'), 'node/exec': never('forbidden'), 'node/lease': lease(4) },
    ['virt-api-silent'],
  ],
  [
    'virt-api and its kubelet are gone, so that nobody can ask its virt-handler, which renews its lease',
    {
      ...withoutNode,
      'kubernetes/virt-api': never('503'),
      'node/exec': never('kubelet refused'),
      'node/lease': lease(4),
      'kubernetes/node.ready': nodeNotReady,
    },
    ['virt-api-silent', 'kubelet-silent'],
  ],
  [
    'virt-api and its node are gone',
    {
      ...withoutNode,
      'kubernetes/virt-api': never('503'),
      'node/exec': never('no route'),
      'node/lease': lease(70),
      'kubernetes/node.ready': nodeNotReady,
    },
    ['node-lost', 'virt-api-silent'],
  ],
  [
    'virt-api and its virt-handler are gone, which may not be asked',
    { ...withoutNode, 'kubernetes/virt-api': never('503'), 'node/exec': never('forbidden'), 'node/lease': lease(70) },
    ['virt-api-silent', 'virt-handler-dead'],
  ],
  ['virt-controller is gone', { 'kubernetes/virt-controller.lease': stale(ago(60), 60) }, ['virt-controller-silent']],
  [
    'its node is cut off',
    { ...handlerSilent, 'kubernetes/node.ready': nodeNotReady },
    ['node-lost', 'virt-handler-silent'],
  ],
  ['its node was lost, and the run given up', failed('NodeUnresponsive'), ['node-lost']],
  ['its kubelet is stopped', { 'kubernetes/node.ready': nodeNotReady }, ['kubelet-silent']],
  ['its virt-handler is killed', handlerSilent, ['virt-handler-silent']],
  [
    'its virt-handler is dead for long',
    { ...handlerSilent, 'node/lease': stale(ago(70), 70) },
    ['virt-handler-dead', 'virt-handler-silent'],
  ],
  ['its node does not reach the API server', { 'node/heartbeat': stale(ago(200), 200) }, ['api-server-unreachable']],
  ["virt-handler's clock is ahead", { 'node/schedulable': { value: true, observedAt: ago(-600) } }, ['clock-skew']],
  [
    "the launcher's clock is behind",
    { 'domain/state': stale('running', 600), 'guest/agent.lastSuccess': stale(ago(601), 601, 'x') },
    ['clock-skew'],
  ],
  [
    "virt-controller's clock is behind",
    { 'kubernetes/virt-controller.lease': { value: ago(600), observedAt: ago(2) } },
    ['clock-skew'],
  ],
  ["the reporter's clock is ahead", { 'kubernetes/clock': { value: ago(-600), source: 'virt-api' } }, ['clock-skew']],
  [
    'its node is short of memory',
    { 'kubernetes/node.condition.MemoryPressure': 'True: KubeletHasInsufficientMemory' },
    ['node-under-pressure'],
  ],
  ['its node is cordoned', { 'kubernetes/node.unschedulable': true }, ['running', 'node-takes-no-guests']],

  // It does not start.
  ['its pod may not be made', outOfSync('FailedCreate: exceeded quota'), ['start-refused']],
  [
    'its instance may not be made',
    { ...stoppedVm, 'kubernetes/vm.condition.Failure': 'True: FailedCreate: denied' },
    ['start-refused'],
  ],
  ['a claim is missing', outOfSync('FailedPvcNotFound: PVC data is not there'), ['pvc-missing']],
  ['a claim is seen to be missing', { ...beforeStart, 'kubernetes/pvc.data': 'no such object' }, ['pvc-missing']],
  [
    'a claim of a machine that is off is missing',
    { ...stoppedVm, 'kubernetes/pvc.data': 'no such object' },
    ['stopped'],
  ],
  [
    'its DataVolume makes a claim',
    { ...beforeStart, 'kubernetes/pvc.data': 'not there yet: its DataVolume makes it' },
    ['starting'],
  ],
  [
    'a DataVolume has failed',
    { ...beforeStart, 'kubernetes/vm.printableStatus': 'DataVolumeError' },
    ['data-volume-failed'],
  ],
  ['no node has room', unscheduled('0/2 nodes are available: 2 Insufficient memory.'), ['unschedulable']],
  ['a claim finds no volume', unscheduled('pod has unbound immediate PersistentVolumeClaims', 90), ['pvc-not-bound']],
  [
    'an image is missing',
    outOfSync('ErrImagePull: image "x" of volume "root" cannot be pulled: not found'),
    ['image-missing'],
  ],
  [
    'a container waits for its image',
    { ...beforeStart, 'kubernetes/pod.container.volumeroot': 'ImagePullBackOff: not found' },
    ['image-missing'],
  ],
  [
    'a container cannot be made',
    { ...beforeStart, 'kubernetes/pod.container.compute': 'CreateContainerError: no such file' },
    ['container-cannot-start'],
  ],
  ['the domain cannot be started', failed('DomainStartFailed'), ['domain-start-failed']],
  [
    'it ends after each start',
    { ...stoppedVm, 'kubernetes/vm.printableStatus': 'CrashLoopBackOff', 'kubernetes/vm.startFailures': 4 },
    ['crash-loop'],
  ],
  [
    'a change cannot be made',
    { 'kubernetes/vmi.condition.Synchronized': 'False: Synchronizing with the Domain failed.: no such bridge' },
    ['spec-not-applied'],
  ],
  [
    'it starts for ever',
    { ...beforeStart, 'kubernetes/vmi.phase': { value: 'Scheduling', since: ago(400) } },
    ['start-takes-long'],
  ],
  [
    'it is filled for long',
    {
      ...beforeStart,
      'kubernetes/vm.printableStatus': 'Provisioning',
      'kubernetes/vmi.phase': { value: 'Pending', since: ago(400) },
    },
    ['starting'],
  ],

  // It has ended, or stands still.
  ['its pod is deleted by hand', { 'kubernetes/pod.phase': 'Running (terminating)' }, ['launcher-pod-deleted']],
  [
    'its pod is gone',
    { ...withoutNode, 'kubernetes/pod.phase': 'no launcher pod', 'kubernetes/pod.name': undefined },
    ['running-without-launcher'],
  ],
  [
    'its pod is gone a moment after it began',
    {
      ...withoutNode,
      'kubernetes/pod.phase': 'no launcher pod',
      'kubernetes/vmi.phase': { value: 'Running', since: ago(1) },
    },
    ['not-enough-known'],
  ],
  ['two pods run', { ...migrating, 'migration/state': 'none' }, ['two-launchers']],
  ['its kernel panics, with a panic device', ended('panicked'), ['guest-panicked']],
  ['its kernel panics and is kept', { 'domain/state': 'crashed', 'domain/reason': 'panicked' }, ['guest-panicked']],
  [
    'its kernel panics on the serial console',
    {
      ...mute,
      'network/default.arp': 'silent',
      'guest/serial.panic': { value: 'Kernel panic - not syncing: Fatal exception', since: ago(10) },
      'domain/cpu.moving': 1,
      'kubernetes/vmi.condition.AgentConnected': undefined,
    },
    ['guest-panicked', 'guest-hung'],
  ],
  [
    'its kernel panics on the serial console, and there is no agent and no ARP',
    {
      'guest/agent.channel': 'never connected',
      'guest/agent.lastSuccess': never(),
      'guest/serial.panic': { value: 'Kernel panic - not syncing: VFS', since: ago(10) },
      'kubernetes/vmi.condition.AgentConnected': undefined,
      'network/default.arp': never(),
    },
    ['guest-panicked', 'no-agent'],
  ],
  [
    'somebody shows an old panic on the serial console',
    { 'guest/serial.panic': { value: 'Kernel panic - not syncing: VFS', since: ago(10) } },
    ['running'],
  ],
  [
    'somebody shows an old panic on the console of a guest without an agent',
    {
      'guest/agent.channel': 'never connected',
      'guest/agent.lastSuccess': never(),
      'guest/serial.panic': { value: 'Kernel panic - not syncing: VFS', since: ago(30) },
      'kubernetes/vmi.condition.AgentConnected': undefined,
      'network/default.arp': { value: 'answers', observedAt: ago(5) },
    },
    ['running', 'no-agent'],
  ],
  ['its run has ended by a panic', failed('GuestPanicked'), ['guest-panicked']],
  ['QEMU is killed', ended('qemu gone'), ['qemu-gone']],
  ['QEMU was killed', failed('QemuGone'), ['qemu-gone']],
  ['QEMU or its guest crashed', ended('crashed'), ['guest-crashed']],
  ['its launcher was lost', failed('LauncherPodGone'), ['launcher-lost']],
  ['it has failed in another way', failed('DomainDestroyed'), ['run-failed']],
  ['its launcher is killed', launcherLost, ['launcher-gone']],
  [
    'its launcher is stopped',
    {
      'node/launcher.channel': stale('failing', 12, 'timed out'),
      'domain/state': stale('running', 12),
      'domain/shutdownRequestedAt': stale(null, 12),
      'guest/agent.lastSuccess': stale(ago(12), 12, 'no answer'),
    },
    ['launcher-silent'],
  ],
  [
    'virt-handler has just started',
    {
      ...withoutNode,
      'node/virt-handler': 'answers',
      'node/launcher.channel': never('no launcher of the instance is on this node'),
    },
    ['launcher-not-seen'],
  ],
  [
    'libvirt is killed',
    {
      'domain/libvirt.connected': { value: false, error: 'connection reset' },
      'domain/state': stale(null, 4, 'connection reset'),
      'domain/qemu.monitor': stale('answering', 4),
    },
    ['libvirt-silent'],
  ],
  [
    'QEMU is stopped',
    {
      'domain/qemu.monitor': stale(`silent since ${ago(9)}`, 12, 'no reply'),
      ...mute,
      'network/default.arp': 'silent',
    },
    ['qemu-hung'],
  ],
  [
    'its disk is full',
    {
      ...paused,
      'domain/reason': 'io-error',
      'domain/ioError.data': `enospc at ${ago(3)}`,
      'kubernetes/vmi.condition.Paused':
        'True: PausedIOError: VMI was paused, low-level IO error detected: data (enospc)',
    },
    ['paused-by-io-error'],
  ],
  ['its watchdog bites', { ...paused, 'domain/reason': 'watchdog' }, ['paused-by-watchdog']],
  [
    'a pause of a moment lasts',
    { 'domain/state': 'paused', 'domain/reason': 'save', 'domain/since': ago(200) },
    ['paused-by-libvirt'],
  ],
  [
    'it is paused by virsh, and nobody tells',
    {
      ...paused,
      'domain/pauseRequested': never(),
      'kubernetes/vmi.paused': false,
      'kubernetes/vmi.condition.Paused': undefined,
    },
    ['paused-behind-kubernetes'],
  ],
  ['it is paused by virsh', { ...paused, 'domain/pauseRequested': false }, ['paused-behind-kubernetes']],
  [
    'it was paused by its user, and its object does not show it yet',
    { ...paused, 'kubernetes/vmi.paused': false, 'kubernetes/vmi.condition.Paused': undefined },
    ['paused-by-user'],
  ],
  [
    'it is paused, and an older launcher does not know by whom',
    { ...paused, 'domain/pauseRequested': never() },
    ['paused-by-user'],
  ],
  ['it is resumed by virsh', { 'domain/since': ago(30), 'kubernetes/vmi.paused': true }, ['paused-shown-guest-runs']],
  [
    'its domain is not there',
    {
      'domain/state': 'absent',
      'domain/since': ago(30),
      'domain/qemu.monitor': never(),
      'guest/agent.channel': never(),
    },
    ['running-without-domain'],
  ],
  [
    'its phase does not follow',
    { 'kubernetes/vmi.phase': { value: 'Scheduled', since: ago(3600) }, 'domain/since': ago(60) },
    ['start-takes-long', 'phase-behind-domain'],
  ],
  ['its guest sleeps', { 'domain/state': 'pm suspended' }, ['guest-suspended']],
  ['it stops for ever', { 'kubernetes/vmi.deletionTimestamp': ago(700) }, ['stop-takes-long']],
  ['it stops for longer than its grace period', { 'kubernetes/vmi.deletionTimestamp': ago(250) }, ['stop-takes-long']],
  ['it stops within its grace period', { 'kubernetes/vmi.deletionTimestamp': ago(230) }, ['stopping']],
  [
    'it stops within a grace period that is long',
    { 'kubernetes/vmi.deletionTimestamp': ago(3_500), 'kubernetes/vmi.gracePeriodSeconds': 3_600 },
    ['stopping'],
  ],
  [
    'it stops, and nobody knows its grace period',
    { 'kubernetes/vmi.deletionTimestamp': ago(5_000), 'kubernetes/vmi.gracePeriodSeconds': undefined },
    ['stopping'],
  ],

  // Network or boot is odd.
  [
    'its agent is stopped, and its guest never had the address that it does not answer for',
    {
      ...mute,
      'network/default.arp': 'silent',
      'network/default.guestAddresses': { ...stale('', 20, 'no answer'), value: [] },
    },
    ['agent-silent', 'agent-connected-but-silent'],
  ],
  [
    'its agent has not been heard since the guest was reset',
    { ...mute, 'network/default.arp': 'silent', 'domain/rebootedAt': ago(3) },
    ['agent-silent', 'agent-connected-but-silent'],
  ],
  ['its guest hangs', { ...mute, 'network/default.arp': 'silent' }, ['guest-hung', 'agent-connected-but-silent']],
  [
    'its guest hangs, and an agent command with it',
    { ...mute, 'network/default.arp': 'silent', 'guest/agent.hangingCommand': 'guest-get-fsinfo' },
    ['guest-hung', 'agent-connected-but-silent'],
  ],
  [
    'its agent is silent, and answered ARP only before that',
    { ...mute, 'network/default.arp': { value: 'answers', observedAt: ago(13) } },
    ['agent-silent', 'agent-connected-but-silent'],
  ],
  [
    'its guest restarts from inside, and says so',
    {
      'guest/agent.channel': { value: 'disconnected', since: ago(2) },
      'guest/agent.lastSuccess': lost(ago(3)),
      'guest/serial.goingDownAt': ago(2),
    },
    ['restarting'],
  ],
  [
    'its guest was reset',
    {
      'guest/agent.channel': { value: 'disconnected', since: ago(20) },
      'guest/agent.lastSuccess': lost(ago(21)),
      'domain/rebootedAt': ago(15),
    },
    ['restarting'],
  ],
  [
    'its guest was asked to reboot',
    {
      'guest/agent.channel': { value: 'disconnected', since: ago(2) },
      'guest/agent.lastSuccess': lost(ago(3)),
      'domain/rebootRequestedAt': ago(4),
    },
    ['restarting'],
  ],
  [
    'its guest was reset, and its agent does not come back',
    {
      'guest/agent.channel': { value: 'disconnected', since: ago(150) },
      'guest/agent.lastSuccess': lost(ago(151)),
      'domain/rebootedAt': ago(145),
      'kubernetes/vmi.condition.AgentConnected': undefined,
    },
    ['agent-disconnected'],
  ],
  [
    'its agent is killed some time after a reboot',
    {
      'guest/agent.channel': { value: 'disconnected', since: ago(1) },
      'guest/agent.lastSuccess': lost(ago(2)),
      'domain/rebootedAt': ago(60),
      'kubernetes/vmi.condition.AgentConnected': undefined,
    },
    ['agent-disconnected'],
  ],
  [
    'an agent command hangs',
    { ...mute, 'guest/agent.hangingCommand': 'guest-get-fsinfo' },
    ['agent-command-hangs', 'agent-connected-but-silent'],
  ],
  ['its agent is stopped', mute, ['agent-stopped', 'agent-connected-but-silent']],
  [
    'its agent is silent, and nothing else is known',
    { ...mute, 'network/default.arp': undefined, 'domain/cpu.moving': undefined },
    ['agent-silent', 'agent-connected-but-silent'],
  ],
  [
    'its agent is killed',
    {
      'guest/agent.channel': 'disconnected',
      'guest/agent.lastSuccess': lost(ago(3)),
      'kubernetes/vmi.condition.AgentConnected': undefined,
    },
    ['agent-disconnected'],
  ],
  [
    'its agent is killed, and nobody tells',
    { 'guest/agent.channel': 'disconnected', 'guest/agent.lastSuccess': lost(ago(3)) },
    ['agent-disconnected', 'agent-connected-but-silent'],
  ],
  [
    'an agent command is disabled',
    {
      'guest/timezone': { value: null, freshness: 'unsupported', error: 'the agent has no command guest-get-timezone' },
    },
    ['agent-command-missing'],
  ],
  ['the load is not told by an old agent', { 'guest/load': { value: null, freshness: 'unsupported' } }, ['running']],
  ['one agent command fails', { 'guest/os': stale('Debian 13', 200, 'permission denied') }, ['agent-command-fails']],
  ["its guest's addresses are flushed", { 'network/default.guestAddresses': ['fe80::1'] }, ['guest-without-address']],
  [
    'it was reset a moment ago, and has no address yet',
    { 'network/default.guestAddresses': ['fe80::1'], 'domain/rebootedAt': ago(15) },
    ['running'],
  ],
  [
    'its address is not shown',
    { 'network/default.chosen': { value: '10.0.2.2', source: "rule: the pod's address behind NAT" } },
    ['address-not-shown'],
  ],
  ['its bridged guest has another address', { 'network/default.chosen': bridge }, ['address-not-in-guest']],
  [
    'its bridged guest has the address',
    { 'network/default.chosen': bridge, 'network/default.guestAddresses': ['10.244.1.5'] },
    ['running'],
  ],
  [
    'a second address is added in the guest',
    { 'network/default.guestAddresses': ['10.0.2.2', '192.0.2.7', 'fe80::1'] },
    ['running', 'guest-only-address'],
  ],
  [
    "a bridge in the guest has the NIC's MAC",
    { 'network/default.guestInterfaces': ['eth0', 'br0'] },
    ['running', 'mac-shared-in-guest'],
  ],
  ['its link is down', { 'network/default.link': 'down' }, ['running', 'link-down']],
  [
    'its readiness probe fails',
    {
      'kubernetes/vmi.condition.Ready': {
        value: 'False: ContainersNotReady: the readiness probe fails',
        since: ago(90),
      },
    },
    ['not-ready'],
  ],

  // Migration is in trouble.
  ['its target is on its source', { ...migrating, 'migration/targetNode': 'node-a' }, ['target-on-source-node']],
  ['its migration moves nothing', { ...migrating, 'migration/job.stalledSince': ago(90) }, ['migration-stalled']],
  [
    'its migration has failed',
    { 'migration/state': { value: 'failed', since: ago(20) }, 'migration/failureReason': 'target pod died' },
    ['migration-failed'],
  ],
  ['its migration failed yesterday', { 'migration/state': { value: 'failed', since: ago(86_400) } }, ['running']],
  [
    'it cannot be moved',
    { 'kubernetes/vmi.condition.LiveMigratable': 'False: DisksNotLiveMigratable: not shared' },
    ['running', 'not-migratable'],
  ],

  ['nothing is known', nothing(), ['not-enough-known']],
];

/** No observation at all. */
function nothing(): Saying {
  return Object.fromEntries(reportOf({}).observations.map(({ layer, field }) => [`${layer}/${field}`, undefined]));
}

test.each(cases)('%s', (_, said, holding) => {
  expect(signals(diagnose(reportOf(said)))).toEqual(holding);
});

test('each rule holds somewhere', () => {
  const held = new Set(cases.flatMap(([, , holding]) => holding));
  expect([...rules, unknown].map(({ name }) => name).filter((name) => !held.has(name))).toEqual([]);
});

test('no two rules share a name', () => {
  const names = [...rules, unknown].map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('what is wrong says why, and what to do', () => {
  for (const [, said] of cases) {
    const { verdict, others } = diagnose(reportOf(said));
    for (const { status, because, next } of [verdict, ...others]) {
      expect(because.length).toBeGreaterThan(0);
      if (status !== 'healthy') expect(next.length).toBeGreaterThan(0);
    }
  }
});

test('the page names the same rules with the same layer and status, in the same order', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/diagnosis.md'), 'utf8');
  const named = [...page.matchAll(/^### `([a-z-]+)`: ([a-z]+), ([a-z ]+)$/gm)].map(([, ...parts]) => parts);
  const remark = (rule: (typeof rules)[number]) => (rule.remark ? 'remark' : rule.status);
  expect(named).toEqual([...rules, unknown].map((rule) => [rule.name, rule.layer, remark(rule)]));
});

/** A report with some observations gone, and some never made. */
function thinned(report: LayersReport, keep: ('keep' | 'drop' | 'blank')[]): LayersReport {
  const observations = report.observations.flatMap((observation, index): Observation[] => {
    const how = keep[index] ?? 'keep';
    if (how === 'drop') return [];
    if (how === 'keep') return [observation];
    const { since: _since, error: _error, ...rest } = observation;
    return [{ ...rest, value: null, observedAt: null, freshness: 'never' }];
  });
  return { ...report, observations };
}

const healthy = cases.filter(([, said]) => diagnose(reportOf(said)).verdict.status === 'healthy');

test('what is not observed raises no alarm: a healthy machine stays healthy or becomes unknown', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...healthy),
      fc.array(fc.constantFrom('keep' as const, 'keep' as const, 'drop' as const, 'blank' as const), { maxLength: 60 }),
      ([, said], keep) => {
        const { verdict } = diagnose(thinned(reportOf(said), keep));
        return verdict.status === 'healthy' || verdict.status === 'unknown' ? true : verdict.signal === '';
      },
    ),
    { numRuns: 3000 },
  );
});

const anything = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.string(),
  fc.array(fc.string()),
  fc.constantFrom(
    'Running',
    'Failed',
    'running',
    'paused',
    'io-error',
    'True',
    'False: x: y',
    'no launcher pod',
    'silent since never',
  ),
);

test('whatever a report says, there is one verdict, and healthy only when nothing is wrong', () => {
  const paths = [...new Set(cases.flatMap(([, said]) => Object.keys(said)).concat(Object.keys(reportOf({}))))];
  const saying = fc.dictionary(
    fc.constantFrom(...paths.filter((path) => path.includes('/'))),
    fc.record({
      value: anything,
      observedAt: fc.constantFrom(null, ago(1), ago(500), 'yesterday'),
      freshness: fc.constantFrom('live' as const, 'stale' as const, 'lost' as const, 'never' as const),
      error: fc.string(),
      since: fc.constantFrom(ago(1), ago(900), 'long ago'),
    }),
  );
  fc.assert(
    fc.property(saying, (said) => {
      const { verdict, others, contradictions } = diagnose(reportOf(said));
      expect(['healthy', 'degraded', 'broken', 'unknown']).toContain(verdict.status);
      if (verdict.status === 'healthy') expect([...others, ...contradictions]).toEqual([]);
      if (verdict.status !== 'broken')
        expect([...others, ...contradictions].map(({ status }) => status)).not.toContain('broken');
    }),
    { numRuns: 2000 },
  );
});

test('a report without a date is judged too', () => {
  expect(diagnose({ ...reportOf({}), generatedAt: 'never' }).verdict.signal).toBe('running');
  expect(diagnose({ ...reportOf(mute), generatedAt: now.toISOString() }).verdict.signal).toBe('agent-stopped');
});
