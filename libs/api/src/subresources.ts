/** Bodies and answers of the aggregated API, `subresources.kubevirt.io/v1`. */

export interface StartOptions {
  paused?: boolean;
  dryRun?: string[];
}

export interface StopOptions {
  /** Seconds; may only shorten the grace period of the instance. */
  gracePeriod?: number;
  dryRun?: string[];
}

export interface RestartOptions {
  /** Seconds; only 0 is possible. */
  gracePeriodSeconds?: number;
  dryRun?: string[];
}

export interface PauseOptions {
  dryRun?: string[];
}

export interface GuestAgentCommandInfo {
  name: string;
  enabled?: boolean;
}

export interface GuestOsUser {
  userName: string;
  domain?: string;
  /** Seconds since the epoch, with fractions. */
  loginTime?: number;
}

export interface GuestFilesystem {
  diskName: string;
  mountPoint: string;
  fileSystemType: string;
  /** Absent when the agent does not tell. */
  usedBytes?: number;
  totalBytes?: number;
  disk?: { serial?: string; busType: string }[];
}

/** Answer of `guestosinfo`. At most ten users and ten filesystems. */
export interface GuestAgentInfo {
  guestAgentVersion?: string;
  supportedCommands?: GuestAgentCommandInfo[];
  hostname?: string;
  os?: {
    name?: string;
    kernelRelease?: string;
    version?: string;
    prettyName?: string;
    versionId?: string;
    kernelVersion?: string;
    machine?: string;
    id?: string;
  };
  timezone?: string;
  userList?: GuestOsUser[];
  fsInfo?: { disks?: GuestFilesystem[] };
  fsFreezeStatus?: string;
}

/** Answer of `userlist`. */
export interface GuestOsUserList {
  metadata: Record<string, unknown>;
  items: GuestOsUser[];
}

/** Answer of `filesystemlist`. */
export interface GuestFilesystemList {
  metadata: Record<string, unknown>;
  items: GuestFilesystem[];
}
