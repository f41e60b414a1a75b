import type { DomainStats } from '@yagura/libvirt';
import { CpuMeter } from './cpu-meter.ts';

const stats = (cpu: bigint, ...vcpus: (bigint | undefined)[]): DomainStats => ({
  domain: { name: 'demo', uuid: 'u', id: 1 },
  cpu: { time: cpu },
  vcpu: { vcpus: vcpus.map((time, index) => ({ index, state: 'running', ...(time === undefined ? {} : { time }) })) },
  params: new Map(),
});

test.each<[what: string, first: DomainStats, second: DomainStats, expected: object | undefined]>([
  [
    'two virtual CPUs, one of which loops',
    stats(0n, 10n ** 9n, 1n),
    stats(9n, 3n * 10n ** 9n, 1n),
    { secondsPerSecond: 1, wholeProcess: false },
  ],
  [
    'an emulated guest',
    stats(10n ** 9n, undefined),
    stats(10n ** 9n + 10n ** 8n, undefined),
    { secondsPerSecond: 0.05, wholeProcess: true },
  ],
  [
    'one whose threads libvirt does not know',
    stats(1n, 0n),
    stats(1n, 0n),
    { secondsPerSecond: 0, wholeProcess: true },
  ],
  ['another QEMU', stats(10n ** 9n, undefined), stats(1n, undefined), undefined],
  ['one that is told differently', stats(1n, undefined), stats(1n, 5n), undefined],
])('of %s', (_, first, second, expected) => {
  const meter = new CpuMeter();
  meter.note(first, 1_000);
  expect(meter.view).toBeUndefined();
  meter.note(second, 3_000);
  if (expected === undefined) expect(meter.view).toBeUndefined();
  else expect(meter.view).toMatchObject(expected);
});
