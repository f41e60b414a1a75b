import { type CallOptions, checkString } from './call.ts';
import { DomainCore } from './domain-core.ts';
import {
  CREATE_FLAGS,
  type CreateFlag,
  DESTROY_FLAGS,
  DEVICE_FLAGS,
  type DestroyFlag,
  type DeviceFlag,
  describe,
  SHUTDOWN_FLAGS,
  type ShutdownFlag,
  toBits,
  UNDEFINE_FLAGS,
  type UndefineFlag,
  VCPU_FLAGS,
  type VcpuFlag,
} from './flags.ts';
import { native } from './native.ts';

/** Starting, stopping and changing a domain. */
export class DomainLifecycle extends DomainCore {
  /** Starts a defined domain; `paused` leaves its CPUs stopped (virDomainCreateWithFlags). */
  async create(flags: readonly CreateFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke('create', native().domainCreate, [toBits('Domain.create: flags', CREATE_FLAGS, flags)], options);
  }

  /** Stops the CPUs (virDomainSuspend). */
  async suspend(options: CallOptions = {}): Promise<void> {
    await this.invoke('suspend', native().domainSuspend, [], options);
  }

  /** Lets stopped CPUs run (virDomainResume). */
  async resume(options: CallOptions = {}): Promise<void> {
    await this.invoke('resume', native().domainResume, [], options);
  }

  /**
   * Asks the guest to shut down; the answer does not mean that it will. With `guest-agent` it runs on the
   * agent's thread (virDomainShutdownFlags).
   */
  async shutdown(flags: readonly ShutdownFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'shutdown',
      native().domainShutdown,
      [toBits('Domain.shutdown: flags', SHUTDOWN_FLAGS, flags)],
      options,
    );
  }

  /** Asks the guest to reboot (virDomainReboot). */
  async reboot(flags: readonly ShutdownFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'reboot',
      native().domainReboot,
      [toBits('Domain.reboot: flags', SHUTDOWN_FLAGS, flags)],
      options,
    );
  }

  /** Resets as by the power button, without asking the guest (virDomainReset). */
  async reset(options: CallOptions = {}): Promise<void> {
    await this.invoke('reset', native().domainReset, [], options);
  }

  /** Ends QEMU; `graceful` refuses to kill one that does not end by itself in time (virDomainDestroyFlags). */
  async destroy(flags: readonly DestroyFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'destroy',
      native().domainDestroy,
      [toBits('Domain.destroy: flags', DESTROY_FLAGS, flags)],
      options,
    );
  }

  /** Removes the persistent definition; a running domain becomes transient (virDomainUndefineFlags). */
  async undefine(flags: readonly UndefineFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'undefine',
      native().domainUndefine,
      [toBits('Domain.undefine: flags', UNDEFINE_FLAGS, flags)],
      options,
    );
  }

  /** See virDomainAttachDeviceFlags. */
  async attachDevice(xml: string, flags: readonly DeviceFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'attachDevice',
      native().domainAttachDevice,
      [checkString('Domain.attachDevice: xml', xml), toBits('Domain.attachDevice: flags', DEVICE_FLAGS, flags)],
      options,
    );
  }

  /** See virDomainDetachDeviceFlags; the device is gone when its `device-removed` event comes. */
  async detachDevice(xml: string, flags: readonly DeviceFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'detachDevice',
      native().domainDetachDevice,
      [checkString('Domain.detachDevice: xml', xml), toBits('Domain.detachDevice: flags', DEVICE_FLAGS, flags)],
      options,
    );
  }

  /** See virDomainUpdateDeviceFlags. */
  async updateDevice(xml: string, flags: readonly DeviceFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'updateDevice',
      native().domainUpdateDevice,
      [checkString('Domain.updateDevice: xml', xml), toBits('Domain.updateDevice: flags', DEVICE_FLAGS, flags)],
      options,
    );
  }

  /**
   * Gives the domain another number of virtual CPUs, up to the maximum that it was defined with. With `guest` the agent
   * takes CPUs that are there already on-line or off-line (virDomainSetVcpusFlags).
   */
  async setVcpus(count: number, flags: readonly VcpuFlag[] = [], options: CallOptions = {}): Promise<void> {
    if (!Number.isInteger(count) || count < 1) {
      throw new TypeError(`Domain.setVcpus: count: expected a whole number above 0, got ${describe(count)}`);
    }
    await this.invoke(
      'setVcpus',
      native().domainSetVcpus,
      [count, toBits('Domain.setVcpus: flags', VCPU_FLAGS, flags)],
      options,
    );
  }
}
