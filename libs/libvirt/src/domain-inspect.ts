import { type CallOptions, checkInteger, checkString } from './call.ts';
import {
  CONTROL_ERROR_REASONS,
  CONTROL_STATES,
  type ControlInfo,
  DISK_ERRORS,
  type DiskError,
  type DomainBlockInfo,
  type DomainBlockStats,
  type DomainInfo,
  type DomainInterfaceStats,
  type DomainMemoryStats,
  decodeBlockStats,
  decodeMemoryStats,
} from './domain-figures.ts';
import { DomainLifecycle } from './domain-lifecycle.ts';
import {
  DIRTY_RATE_MODES,
  type DirtyRateMode,
  IMPACT_FLAGS,
  type ImpactFlag,
  METADATA_TYPES,
  type MetadataType,
  toBits,
  toIndex,
  XML_FLAGS,
  type XmlFlag,
} from './flags.ts';
import { native } from './native.ts';
import { DOMAIN_STATES, decodeState, nameOf, type StateAndReason } from './states.ts';
import { decodeTypedParams } from './typed-params.ts';

/** Reading a domain's state, description and figures. */
export class DomainInspect extends DomainLifecycle {
  /** QEMU's run number, -1 when it does not run (virDomainGetID). */
  async getID(options: CallOptions = {}): Promise<number> {
    return this.invoke('getID', native().domainGetID, [], options);
  }

  /** See virDomainGetXMLDesc. */
  async getXMLDesc(flags: readonly XmlFlag[] = [], options: CallOptions = {}): Promise<string> {
    return this.invoke(
      'getXMLDesc',
      native().domainGetXMLDesc,
      [toBits('Domain.getXMLDesc: flags', XML_FLAGS, flags)],
      options,
    );
  }

  /** State and reason (virDomainGetState). */
  async getState(options: CallOptions = {}): Promise<StateAndReason> {
    const [state, reason] = await this.invoke('getState', native().domainGetState, [], options);
    return decodeState(state, reason);
  }

  /** See virDomainGetInfo. */
  async getInfo(options: CallOptions = {}): Promise<DomainInfo> {
    const [state, maxMemory, memory, vcpus, cpuTime] = await this.invoke(
      'getInfo',
      native().domainGetInfo,
      [],
      options,
    );
    return {
      state: nameOf(DOMAIN_STATES, state),
      maxMemory,
      memory,
      vcpus,
      cpuTime,
    };
  }

  /** How the channel to QEMU does: `occupied` or `job` for long means that QEMU hangs (virDomainGetControlInfo). */
  async getControlInfo(options: CallOptions = {}): Promise<ControlInfo> {
    const [state, details, stateTimeMs] = await this.invoke(
      'getControlInfo',
      native().domainGetControlInfo,
      [],
      options,
    );
    return {
      state: nameOf(CONTROL_STATES, state),
      errorReason: nameOf(CONTROL_ERROR_REASONS, details),
      stateTimeMs,
    };
  }

  /** See virDomainIsActive. */
  async isActive(options: CallOptions = {}): Promise<boolean> {
    return this.invoke('isActive', native().domainIsActive, [], options);
  }

  /** See virDomainIsPersistent. */
  async isPersistent(options: CallOptions = {}): Promise<boolean> {
    return this.invoke('isPersistent', native().domainIsPersistent, [], options);
  }

  /** See virDomainMemoryStats; the guest's own figures need a balloon with a stats period. */
  async memoryStats(options: CallOptions = {}): Promise<DomainMemoryStats> {
    return decodeMemoryStats(await this.invoke('memoryStats', native().domainMemoryStats, [], options));
  }

  /** How often the balloon driver reports, 0 for never (virDomainSetMemoryStatsPeriod). */
  async setMemoryStatsPeriod(
    seconds: number,
    flags: readonly ImpactFlag[] = [],
    options: CallOptions = {},
  ): Promise<void> {
    await this.invoke(
      'setMemoryStatsPeriod',
      native().domainSetMemoryStatsPeriod,
      [
        checkInteger('Domain.setMemoryStatsPeriod: seconds', seconds, 0, 2 ** 31 - 1),
        toBits('Domain.setMemoryStatsPeriod: flags', IMPACT_FLAGS, flags),
      ],
      options,
    );
  }

  /** Counters of one disk, by target or path; "" sums all up (virDomainBlockStatsFlags). */
  async blockStats(disk: string, options: CallOptions = {}): Promise<DomainBlockStats> {
    const params = await this.invoke(
      'blockStats',
      native().domainBlockStats,
      [checkString('Domain.blockStats: disk', disk)],
      options,
    );
    return decodeBlockStats(decodeTypedParams(params));
  }

  /** Sizes of one disk in bytes (virDomainGetBlockInfo). */
  async getBlockInfo(disk: string, options: CallOptions = {}): Promise<DomainBlockInfo> {
    const [capacity, allocation, physical] = await this.invoke(
      'getBlockInfo',
      native().domainBlockInfo,
      [checkString('Domain.getBlockInfo: disk', disk)],
      options,
    );
    return { capacity, allocation, physical };
  }

  /** Counters of one interface, by target device or MAC; those not kept are absent (virDomainInterfaceStats). */
  async interfaceStats(device: string, options: CallOptions = {}): Promise<DomainInterfaceStats> {
    const [rxBytes, rxPkts, rxErrs, rxDrop, txBytes, txPkts, txErrs, txDrop] = await this.invoke(
      'interfaceStats',
      native().domainInterfaceStats,
      [checkString('Domain.interfaceStats: device', device)],
      options,
    );
    const figures = { rxBytes, rxPkts, rxErrs, rxDrop, txBytes, txPkts, txErrs, txDrop };
    return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined && value >= 0n));
  }

  /** Disks that are in error now (virDomainGetDiskErrors). */
  async getDiskErrors(options: CallOptions = {}): Promise<DiskError[]> {
    const flat = await this.invoke('getDiskErrors', native().domainDiskErrors, [], options);
    return Array.from({ length: flat.length / 2 }, (_, i) => ({
      disk: String(flat[2 * i]),
      error: nameOf(DISK_ERRORS, Number(flat[2 * i + 1])),
    }));
  }

  /** Starts a measurement that getAllDomainStats(['dirtyrate']) reports (virDomainStartDirtyRateCalc). */
  async startDirtyRateCalc(
    seconds: number,
    mode: DirtyRateMode = 'page-sampling',
    options: CallOptions = {},
  ): Promise<void> {
    await this.invoke(
      'startDirtyRateCalc',
      native().domainStartDirtyRateCalc,
      [
        checkInteger('Domain.startDirtyRateCalc: seconds', seconds, 1, 60),
        toBits('Domain.startDirtyRateCalc: mode', DIRTY_RATE_MODES, [mode]),
      ],
      options,
    );
  }

  /** Fails with NO_DOMAIN_METADATA when there is none (virDomainGetMetadata). */
  async getMetadata(
    type: MetadataType,
    uri: string | null = null,
    flags: readonly ImpactFlag[] = [],
    options: CallOptions = {},
  ): Promise<string> {
    return this.invoke(
      'getMetadata',
      native().domainGetMetadata,
      [
        toIndex('Domain.getMetadata: type', METADATA_TYPES, type),
        uri === null ? null : checkString('Domain.getMetadata: uri', uri),
        toBits('Domain.getMetadata: flags', IMPACT_FLAGS, flags),
      ],
      options,
    );
  }

  /** Sets title, description or the element of a namespace; `value` null removes it (virDomainSetMetadata). */
  async setMetadata(
    metadata: { type: MetadataType; value: string | null; key?: string; uri?: string },
    flags: readonly ImpactFlag[] = [],
    options: CallOptions = {},
  ): Promise<void> {
    const { type, value, key = null, uri = null } = metadata;
    await this.invoke(
      'setMetadata',
      native().domainSetMetadata,
      [
        toIndex('Domain.setMetadata: type', METADATA_TYPES, type),
        value === null ? null : checkString('Domain.setMetadata: value', value),
        key === null ? null : checkString('Domain.setMetadata: key', key),
        uri === null ? null : checkString('Domain.setMetadata: uri', uri),
        toBits('Domain.setMetadata: flags', IMPACT_FLAGS, flags),
      ],
      options,
    );
  }

  /** The screen as an image, through a libvirt stream (virDomainScreenshot). */
  async screenshot(screen = 0, options: CallOptions = {}): Promise<{ mimeType: string; data: Buffer }> {
    const [mimeType, data] = await this.invoke(
      'screenshot',
      native().domainScreenshot,
      [checkInteger('Domain.screenshot: screen', screen, 0, 255)],
      options,
    );
    return { mimeType, data };
  }

  /** A QMP command, for diagnosis (virDomainQemuMonitorCommand); it taints the domain. */
  async qemuMonitorCommand(command: string, options: CallOptions = {}): Promise<string> {
    return this.invoke(
      'qemuMonitorCommand',
      native().domainQemuMonitorCommand,
      [checkString('Domain.qemuMonitorCommand: command', command), 0],
      options,
    );
  }
}
