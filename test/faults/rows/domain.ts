import { inLauncher, type PodObject, pids } from '../../e2e/support/machines.ts';
import type { Fault } from '../fault.ts';

async function signal(pod: PodObject, pattern: string, name: 'KILL' | 'STOP' | 'CONT'): Promise<void> {
  const found = await pids(pod, pattern);
  if (found.length === 0) throw new Error(`no process ${pattern} in ${pod.metadata.name}`);
  await inLauncher(pod, `kill -${name} ${found.join(' ')}`);
}

const QEMU = 'qemu-system-x86_64';
const LIBVIRT = 'sbin/libvirtd';
const LAUNCHER = 'main[.]mjs';
const virsh = (pod: PodObject, command: string) => inLauncher(pod, `virsh -q ${command} $(virsh -q list --all --name)`);

/** QEMU, libvirt or the launcher of the pod breaks. */
export const domainFaults: Fault[] = [
  {
    name: 'QEMU stopped (SIGSTOP)',
    expected: { layer: 'domain', signals: ['qemu-hung'] },
    withinSeconds: 10,
    inject: ({ pod }) => signal(pod, QEMU, 'STOP'),
    repair: ({ pod }) => signal(pod, QEMU, 'CONT'),
  },
  {
    name: 'QEMU killed',
    expected: { layer: 'domain', signals: ['qemu-gone', 'crash-loop'] },
    withinSeconds: 10,
    inject: ({ pod }) => signal(pod, QEMU, 'KILL'),
  },
  {
    name: "domain paused behind Kubernetes's back",
    expected: { layer: 'domain', signals: ['paused-behind-kubernetes'] },
    withinSeconds: 10,
    inject: async ({ pod }) => void (await virsh(pod, 'suspend')),
    repair: async ({ pod }) => void (await virsh(pod, 'resume')),
  },
  {
    name: 'libvirt daemon stopped (SIGSTOP)',
    expected: { layer: 'domain', signals: ['libvirt-silent'] },
    withinSeconds: 10,
    inject: ({ pod }) => signal(pod, LIBVIRT, 'STOP'),
    repair: ({ pod }) => signal(pod, LIBVIRT, 'CONT'),
  },
  {
    name: 'libvirt daemon killed',
    // Its supervisor starts it anew: it may be over before anybody looks.
    expected: { layer: 'domain', signals: ['libvirt-silent', 'running'] },
    withinSeconds: 10,
    inject: ({ pod }) => signal(pod, LIBVIRT, 'KILL'),
    repair: async () => {},
  },
  {
    name: 'launcher stopped (SIGSTOP)',
    expected: { layer: 'node', signals: ['launcher-silent'] },
    withinSeconds: 10,
    inject: ({ pod }) => signal(pod, LAUNCHER, 'STOP'),
    repair: ({ pod }) => signal(pod, LAUNCHER, 'CONT'),
  },
  {
    name: 'launcher killed',
    expected: { layer: 'node', signals: ['launcher-silent'] },
    withinSeconds: 10,
    inject: ({ pod }) => signal(pod, LAUNCHER, 'KILL'),
    repair: async () => {},
  },
];
