import type { GetDomainStatsResponse } from '@yagura/contracts';
import { counter, type Series } from '@yagura/runtime/metrics';
import { nanoseconds } from './figures.ts';

export const CPU = {
  usage: counter('kubevirt_vmi_cpu_usage_seconds_total', 'CPU time of the guest and of the QEMU that runs it.'),
  user: counter('kubevirt_vmi_cpu_user_usage_seconds_total', 'CPU time of QEMU in user mode.'),
  system: counter('kubevirt_vmi_cpu_system_usage_seconds_total', 'CPU time of QEMU in the kernel.'),
  vcpu: counter('kubevirt_vmi_vcpu_seconds_total', 'Time that a virtual CPU has run; its state is always running.'),
  wait: counter('kubevirt_vmi_vcpu_wait_seconds_total', 'Time that a virtual CPU has waited for I/O.'),
  delay: counter(
    'kubevirt_vmi_vcpu_delay_seconds_total',
    'Time that a virtual CPU was ready and had to wait for a CPU.',
  ),
};

/** CPU times; the label `id` is the number of the virtual CPU. */
export function cpuSeries({ cpu, vcpus }: GetDomainStatsResponse): Series[] {
  return [
    ...nanoseconds(CPU.usage, cpu?.timeNanoseconds),
    ...nanoseconds(CPU.user, cpu?.userNanoseconds),
    ...nanoseconds(CPU.system, cpu?.systemNanoseconds),
    ...vcpus.flatMap(({ id, timeNanoseconds, waitNanoseconds, delayNanoseconds }) => {
      const labels = { id: String(id) };
      return [
        // The time of libvirt grows only while the CPU runs. With the present state as its label, the counter would
        // change its series whenever the state changes, and rate() would lose both ends.
        ...nanoseconds(CPU.vcpu, timeNanoseconds, { ...labels, state: 'running' }),
        ...nanoseconds(CPU.wait, waitNanoseconds, labels),
        ...nanoseconds(CPU.delay, delayNanoseconds, labels),
      ];
    }),
  ];
}
