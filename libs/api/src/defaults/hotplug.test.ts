import { kubevirtConfig } from '../config.ts';
import type { Cpu, KubeVirtConfiguration } from '../types.ts';
import { withMaxSockets } from './hotplug.ts';

const configOf = (configuration: KubeVirtConfiguration) =>
  kubevirtConfig({ metadata: { name: 'kubevirt' }, spec: { configuration } });

test.each<[Cpu | undefined, KubeVirtConfiguration, number | undefined]>([
  [undefined, {}, 4],
  [{ sockets: 2, cores: 3 }, {}, 8],
  [{ sockets: 2, maxSockets: 3 }, {}, 3],
  [{ sockets: 2 }, { liveUpdateConfiguration: { maxHotplugRatio: 2 } }, 4],
  [{ sockets: 2 }, { liveUpdateConfiguration: { maxCpuSockets: 3 } }, 3],
  [{ sockets: 4 }, { liveUpdateConfiguration: { maxCpuSockets: 3 } }, 4],
  // Beyond 255 CPUs no guest starts.
  [{ sockets: 2, cores: 50 }, {}, 5],
  [{ sockets: 64 }, {}, 255],
  [{ sockets: 5, cores: 100 }, {}, 5],
  [{ sockets: 2 }, { vmRolloutStrategy: 'Stage' }, undefined],
])('CPUs %j under %j may grow to %p sockets', (cpu, configuration, expected) => {
  const spec = { domain: { devices: {}, ...(cpu ? { cpu } : {}) } };
  expect(withMaxSockets(spec, configOf(configuration)).domain.cpu?.maxSockets).toBe(expected);
});
