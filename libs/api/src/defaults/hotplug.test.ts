import { kubevirtConfig } from '../config.ts';
import type { Cpu, Domain, KubeVirtConfiguration } from '../types.ts';
import { withRoomToGrow } from './hotplug.ts';

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
  expect(withRoomToGrow(spec, configOf(configuration)).domain.cpu?.maxSockets).toBe(expected);
});

test.each<[Partial<Domain>, KubeVirtConfiguration, string | undefined]>([
  [{ memory: { guest: '1Gi' } }, {}, '4Gi'],
  [{ resources: { requests: { memory: '2Gi' } } }, {}, '8Gi'],
  [{ memory: { guest: '1Gi', maxGuest: '2Gi' } }, {}, '2Gi'],
  [{ memory: { guest: '1Gi' } }, { liveUpdateConfiguration: { maxHotplugRatio: 2 } }, '2Gi'],
  [{ memory: { guest: '1Gi' } }, { liveUpdateConfiguration: { maxGuest: '3Gi' } }, '3Gi'],
  [{ memory: { guest: '4Gi' } }, { liveUpdateConfiguration: { maxGuest: '3Gi' } }, undefined],
  [{ memory: { guest: '1Gi' } }, { liveUpdateConfiguration: { maxGuest: '3000001Ki' } }, undefined],
  [{ memory: { guest: '1Gi' } }, { liveUpdateConfiguration: { maxGuest: '2Ti' } }, '512Gi'],
  // Beyond the 40 bits of an ordinary virtual CPU's addresses no guest starts.
  [{ memory: { guest: '300Gi' } }, {}, '512Gi'],
  [{ memory: { guest: '512Gi' } }, {}, undefined],
  [{ memory: { guest: '1022Mi' } }, {}, undefined],
  [{ memory: { guest: '1025Mi' } }, {}, undefined],
  [{ memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } }, {}, undefined],
  [{ memory: { guest: '1Gi' }, devices: { disableHotplug: true } }, {}, undefined],
  [{ memory: { guest: '1Gi' } }, { vmRolloutStrategy: 'Stage' }, undefined],
  [{}, {}, undefined],
])('a guest %j under %j may grow to %p of memory', (domain, configuration, expected) => {
  const spec = { domain: { devices: {}, ...domain } };
  expect(withRoomToGrow(spec, configOf(configuration)).domain.memory?.maxGuest).toBe(expected);
});
