import type { Fault } from '../fault.ts';

const restart = 'killall qemu-ga; usleep 300000; /etc/init.d/agent start';

/** The guest agent breaks; its guest lives. */
export const agentFaults: Fault[] = [
  {
    name: 'agent killed',
    expected: { layer: 'guest', signals: ['agent-disconnected'] },
    withinSeconds: 2,
    inject: async ({ console }) => void (await console.run('killall -9 qemu-ga')),
    repair: async ({ console }) => void (await console.run('/etc/init.d/agent start')),
  },
  {
    name: 'agent stopped',
    expected: { layer: 'guest', signals: ['agent-stopped'] },
    withinSeconds: 10,
    inject: async ({ console }) => void (await console.run('killall -STOP qemu-ga')),
    repair: async ({ console }) => void (await console.run('killall -CONT qemu-ga')),
  },
  {
    name: 'agent command disabled',
    expected: { layer: 'guest', signals: ['agent-command-missing'] },
    withinSeconds: 30,
    inject: async ({ console }) =>
      void (await console.run(
        'killall qemu-ga; usleep 300000; qemu-ga -d -m virtio-serial -p $(readlink -f /dev/virtio-ports/org.qemu.guest_agent.0) -t /run -f /run/qemu-ga.pid --block-rpcs=guest-get-fsinfo',
      )),
    repair: async ({ console }) => void (await console.run(restart)),
  },
];
