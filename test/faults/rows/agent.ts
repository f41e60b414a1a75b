import type { Fault } from '../fault.ts';

const restart = '/etc/init.d/agent restart; sleep 1; cat /run/qemu-ga.pid';

/** The guest agent breaks; its guest lives. */
export const agentFaults: Fault[] = [
  {
    name: 'agent killed',
    expected: { layer: 'guest', signals: ['agent-disconnected'] },
    withinSeconds: 2,
    inject: async ({ console }) => void (await console.run('kill -9 $(cat /run/qemu-ga.pid)')),
    repair: async ({ console }) => void (await console.run('/etc/init.d/agent start')),
  },
  {
    name: 'agent stopped',
    expected: { layer: 'guest', signals: ['agent-stopped'] },
    withinSeconds: 10,
    inject: async ({ console }) => void (await console.run('kill -STOP $(cat /run/qemu-ga.pid)')),
    repair: async ({ console }) => void (await console.run('kill -CONT $(cat /run/qemu-ga.pid)')),
  },
  {
    name: 'agent command disabled',
    expected: { layer: 'guest', signals: ['agent-command-missing'] },
    withinSeconds: 30,
    inject: async ({ console }) =>
      void (await console.run(
        'kill $(cat /run/qemu-ga.pid); usleep 300000; qemu-ga -d -m virtio-serial -p $(readlink -f /dev/virtio-ports/org.qemu.guest_agent.0) -t /run -f /run/qemu-ga.pid --block-rpcs=guest-get-fsinfo',
      )),
    repair: async ({ console }) => void (await console.run(restart)),
  },
];
