import { type CallOptions, checkInteger, checkString, checkUint64 } from './call.ts';
import { DomainGuest } from './domain-guest.ts';
import {
  ABORT_JOB_FLAGS,
  type AbortJobFlag,
  JOB_STATS_FLAGS,
  type JobStatsFlag,
  MIGRATE_FLAGS,
  type MigrateFlag,
  toBits,
} from './flags.ts';
import { decodeJobStats, encodeMigrateParams, type JobStats, type MigrateParams } from './jobs.ts';
import { native } from './native.ts';
import { decodeTypedParams } from './typed-params.ts';

/** A domain of a Connection: lifecycle, inspection, guest agent (see the base classes), and here its jobs and migration. */
export class Domain extends DomainGuest {
  /** The running job, or with `completed` the last one that ended (virDomainGetJobStats). */
  async getJobStats(flags: readonly JobStatsFlag[] = [], options: CallOptions = {}): Promise<JobStats> {
    const [type, params] = await this.invoke(
      'getJobStats',
      native().domainGetJobStats,
      [toBits('Domain.getJobStats: flags', JOB_STATS_FLAGS, flags)],
      options,
    );
    return decodeJobStats(type, decodeTypedParams(params));
  }

  /** Aborts the running job; `postcopy` pauses a post-copy migration (virDomainAbortJobFlags). */
  async abortJob(flags: readonly AbortJobFlag[] = [], options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'abortJob',
      native().domainAbortJob,
      [toBits('Domain.abortJob: flags', ABORT_JOB_FLAGS, flags)],
      options,
    );
  }

  /**
   * Migrates, on the connection's thread for long jobs, so that stats and abortJob() go on meanwhile. `uri` is the
   * destination's libvirt for `peer2peer`. Giving up by `options` does not end the migration: abortJob() does
   * (virDomainMigrateToURI3).
   */
  async migrateToURI3(
    uri: string | null,
    params: MigrateParams,
    flags: readonly MigrateFlag[],
    options: CallOptions = {},
  ): Promise<void> {
    await this.invokeUnbounded(
      'migrateToURI3',
      native().domainMigrateToURI3,
      [
        uri === null ? null : checkString('Domain.migrateToURI3: uri', uri),
        encodeMigrateParams(params),
        toBits('Domain.migrateToURI3: flags', MIGRATE_FLAGS, flags),
      ],
      options,
    );
  }

  /** MiB/s (virDomainMigrateSetMaxSpeed). */
  async migrateSetMaxSpeed(mebibytesPerSecond: bigint, options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'migrateSetMaxSpeed',
      native().domainMigrateSetMaxSpeed,
      [checkUint64('Domain.migrateSetMaxSpeed: mebibytesPerSecond', mebibytesPerSecond), 0],
      options,
    );
  }

  /** MiB/s (virDomainMigrateGetMaxSpeed). */
  async migrateGetMaxSpeed(options: CallOptions = {}): Promise<bigint> {
    return this.invoke('migrateGetMaxSpeed', native().domainMigrateGetMaxSpeed, [0], options);
  }

  /** See virDomainMigrateSetMaxDowntime. */
  async migrateSetMaxDowntime(milliseconds: number, options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'migrateSetMaxDowntime',
      native().domainMigrateSetMaxDowntime,
      [BigInt(checkInteger('Domain.migrateSetMaxDowntime: milliseconds', milliseconds, 0, 2 ** 31 - 1))],
      options,
    );
  }

  /** Switches a migration that was started with `postcopy` over (virDomainMigrateStartPostCopy). */
  async migrateStartPostCopy(options: CallOptions = {}): Promise<void> {
    await this.invoke('migrateStartPostCopy', native().domainMigrateStartPostCopy, [], options);
  }
}
