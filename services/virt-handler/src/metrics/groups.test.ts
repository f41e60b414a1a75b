import { cpuSeries } from './cpu.ts';
import { filesystemSeries, loadSeries } from './guest.ts';
import { memorySeries } from './memory.ts';
import { networkSeries } from './network.ts';
import { storageSeries } from './storage.ts';
import { AT, filesystems, guestInfo, lines, MEMORY, secondsBefore, stats } from './testing.ts';

test('CPU times are seconds', () => {
  expect(lines(cpuSeries(stats()))).toEqual([
    'cpu_usage_seconds_total 173.68',
    'cpu_user_usage_seconds_total 139.75',
    'cpu_system_usage_seconds_total 33.93',
    'vcpu_seconds_total{id=0,state=running} 36.45',
    'vcpu_wait_seconds_total{id=0} 0',
    'vcpu_delay_seconds_total{id=0} 90.136677278',
  ]);
});

test('a virtual CPU has one series, whatever state it is in', () => {
  const seen = (state: string, timeNanoseconds: bigint) =>
    lines(cpuSeries(stats({ cpu: undefined, vcpus: [{ id: 1, state, timeNanoseconds }] })))[0];
  expect([seen('running', 1_000_000_000n), seen('blocked', 2_000_000_000n)]).toEqual([
    'vcpu_seconds_total{id=1,state=running} 1',
    'vcpu_seconds_total{id=1,state=running} 2',
  ]);
});

test('memory is bytes', () => {
  expect(lines(memorySeries(stats(), 10))).toEqual([
    `memory_resident_bytes ${247_176 * 1024}`,
    `memory_actual_balloon_bytes ${192 * 1024 * 1024}`,
    `memory_domain_bytes ${192 * 1024 * 1024}`,
    'yagura_vmi_memory_balloon_age_seconds 5.6',
    `memory_available_bytes ${151_628 * 1024}`,
    `memory_unused_bytes ${99_300 * 1024}`,
    `memory_cached_bytes ${12_700 * 1024}`,
    `memory_usable_bytes ${97_316 * 1024}`,
    'memory_swap_in_traffic_bytes 0',
    'memory_swap_out_traffic_bytes 0',
    'memory_pgmajfault_total 0',
    'memory_pgminfault_total 4520',
  ]);
});

const GUESTS_VIEW = /^memory_(available|unused|cached|usable|swap|pg)/;
const withUpdate = (updated: { seconds: bigint } | undefined) => {
  const { balloonUpdatedAt: _, ...memory } = MEMORY;
  return updated ? { ...memory, balloonUpdatedAt: updated } : memory;
};
const balloon = (updated: { seconds: bigint } | undefined, period: number) =>
  lines(memorySeries(stats({ memory: withUpdate(updated) }), period));

test.each([
  ['as old as three periods', 29, 10, true],
  ['older', 31, 10, false],
  ['as old, of a longer period', 31, 60, true],
  ['when statistics are off', 5, 0, false],
])('a report of the balloon driver %s', (_what, age, period, shown) => {
  const seen = balloon(secondsBefore(age), period);
  expect(seen.some((line) => GUESTS_VIEW.test(line))).toBe(shown);
  expect(seen).toContain(`yagura_vmi_memory_balloon_age_seconds ${age + 0.6}`);
});

test('a guest without balloon driver has no view of its memory, and no age of it', () => {
  expect(balloon(undefined, 10).map((line) => line.split(' ')[0])).toEqual([
    'memory_resident_bytes',
    'memory_actual_balloon_bytes',
    'memory_domain_bytes',
  ]);
});

test('traffic is told by the name in the spec', () => {
  expect(lines(networkSeries(stats()))).toEqual([
    'network_receive_bytes_total{interface=default} 3258',
    'network_receive_packets_total{interface=default} 33',
    'network_receive_errors_total{interface=default} 0',
    'network_receive_packets_dropped_total{interface=default} 1',
    'network_transmit_bytes_total{interface=default} 1830',
    'network_transmit_packets_total{interface=default} 17',
    'network_transmit_errors_total{interface=default} 2',
    'network_transmit_packets_dropped_total{interface=default} 0',
    'network_traffic_bytes_total{interface=default,type=rx} 3258',
    'network_traffic_bytes_total{interface=default,type=tx} 1830',
  ]);
});

test('disks are told by the name in the spec, their times in seconds', () => {
  expect(lines(storageSeries(stats()))).toEqual([
    'storage_iops_read_total{drive=root} 941',
    'storage_iops_write_total{drive=root} 1',
    'storage_read_traffic_bytes_total{drive=root} 25350144',
    'storage_write_traffic_bytes_total{drive=root} 1024',
    'storage_read_times_seconds_total{drive=root} 0.33733326',
    'storage_write_times_seconds_total{drive=root} 0.012601017',
    'storage_flush_requests_total{drive=root} 1',
    'storage_flush_times_seconds_total{drive=root} 0.001890009',
  ]);
});

test('a device that is in no spec has the name that libvirt gives it', () => {
  const strange = stats({
    interfaces: [{ device: 'tap7', rxBytes: 1n }],
    blocks: [{ target: 'sdz', readRequests: 2n }],
  });
  expect(lines(networkSeries(strange))[0]).toBe('network_receive_bytes_total{interface=tap7} 1');
  expect(lines(storageSeries(strange))).toEqual(['storage_iops_read_total{drive=sdz} 2']);
});

test('what is unknown is no series, and -1 in an unsigned field is unknown', () => {
  const empty = stats({
    cpu: undefined,
    vcpus: [{ id: 0 }],
    memory: undefined,
    interfaces: [{ name: 'x' }],
    blocks: [],
  });
  expect([...cpuSeries(empty), ...memorySeries(empty, 10), ...networkSeries(empty), ...storageSeries(empty)]).toEqual(
    [],
  );
  expect(networkSeries(stats({ interfaces: [{ name: 'x', rxBytes: 2n ** 64n - 1n }] }))).toEqual([]);
});

test('file systems and load are what the agent said, as long as that is young', () => {
  const labels = 'disk_name=vda1,mount_point=/,file_system_type=ext4';
  expect(lines([...filesystemSeries(filesystems(), AT), ...loadSeries(guestInfo(), AT)])).toEqual([
    `filesystem_capacity_bytes{${labels}} 60000000`,
    `filesystem_used_bytes{${labels}} 12345678`,
    'guest_load_1m 0.52',
    'guest_load_5m 0.25',
    'guest_load_15m 0.1',
  ]);
  expect([...filesystemSeries(filesystems(300), AT), ...loadSeries(guestInfo(300), AT)]).toEqual([]);
  expect([...filesystemSeries(undefined, AT), ...loadSeries(undefined, AT)]).toEqual([]);
});
