import { compact, ParamReader, type TypedParams } from './typed-params.ts';

export interface GuestUser {
  name?: string;
  domain?: string;
  /** Milliseconds since the epoch of the guest's clock. */
  loginTime?: bigint;
}

export interface GuestOs {
  id?: string;
  name?: string;
  prettyName?: string;
  version?: string;
  versionId?: string;
  kernelRelease?: string;
  kernelVersion?: string;
  machine?: string;
  variant?: string;
  variantId?: string;
}

export interface GuestFilesystemDisk {
  /** Alias of the domain's disk, when the device is known to libvirt. */
  alias?: string;
  serial?: string;
  /** Device node in the guest. */
  device?: string;
}

export interface GuestFilesystem {
  mountpoint?: string;
  name?: string;
  fstype?: string;
  totalBytes?: bigint;
  usedBytes?: bigint;
  disks: GuestFilesystemDisk[];
}

export interface GuestDisk {
  name?: string;
  partition?: boolean;
  alias?: string;
  guestAlias?: string;
  serial?: string;
  guestBus?: string;
  dependencies: string[];
}

export interface GuestAddress {
  type?: string;
  addr?: string;
  prefix?: number;
}

export interface GuestInterface {
  name?: string;
  hwaddr?: string;
  addrs: GuestAddress[];
}

/** What the guest agent said. A type that was not asked for, or that the agent cannot answer, is absent. */
export interface GuestInfo {
  users?: GuestUser[];
  os?: GuestOs;
  /** Offset in seconds east of UTC. */
  timezone?: { name?: string; offset?: number };
  hostname?: string;
  filesystems?: GuestFilesystem[];
  disks?: GuestDisk[];
  interfaces?: GuestInterface[];
  load?: { oneMinute?: number; fiveMinutes?: number; fifteenMinutes?: number };
  params: TypedParams;
}

function readOs(os: ParamReader): GuestOs {
  return compact({
    id: os.string('id'),
    name: os.string('name'),
    prettyName: os.string('pretty-name'),
    version: os.string('version'),
    versionId: os.string('version-id'),
    kernelRelease: os.string('kernel-release'),
    kernelVersion: os.string('kernel-version'),
    machine: os.string('machine'),
    variant: os.string('variant'),
    variantId: os.string('variant-id'),
  });
}

function readFilesystem(fs: ParamReader): GuestFilesystem {
  return {
    ...compact({
      mountpoint: fs.string('mountpoint'),
      name: fs.string('name'),
      fstype: fs.string('fstype'),
      totalBytes: fs.big('total-bytes'),
      usedBytes: fs.big('used-bytes'),
    }),
    disks:
      fs.list('disk', (disk) =>
        compact({ alias: disk.string('alias'), serial: disk.string('serial'), device: disk.string('device') }),
      ) ?? [],
  };
}

function readDisk(disk: ParamReader): GuestDisk {
  const dependencies = disk.list('dependency', (dependency) => dependency.string('name')) ?? [];
  return {
    ...compact({
      name: disk.string('name'),
      partition: disk.bool('partition'),
      alias: disk.string('alias'),
      guestAlias: disk.string('guest_alias'),
      serial: disk.string('serial'),
      guestBus: disk.string('guest_bus'),
    }),
    dependencies: dependencies.filter((name) => name !== undefined),
  };
}

function readInterface(nic: ParamReader): GuestInterface {
  return {
    ...compact({ name: nic.string('name'), hwaddr: nic.string('hwaddr') }),
    addrs:
      nic.list('addr', (addr) =>
        compact({ type: addr.string('type'), addr: addr.string('addr'), prefix: addr.number('prefix') }),
      ) ?? [],
  };
}

/** The nested form of virDomainGetGuestInfo's parameters. */
export function decodeGuestInfo(params: TypedParams): GuestInfo {
  const all = new ParamReader(params);
  const os = all.at('os');
  const timezone = all.at('timezone');
  const load = all.at('load');
  return {
    ...compact({
      users: all.list('user', (user) =>
        compact({ name: user.string('name'), domain: user.string('domain'), loginTime: user.big('login-time') }),
      ),
      os: os.present ? readOs(os) : undefined,
      timezone: timezone.present
        ? compact({ name: timezone.string('name'), offset: timezone.number('offset') })
        : undefined,
      hostname: all.string('hostname'),
      filesystems: all.list('fs', readFilesystem),
      disks: all.list('disk', readDisk),
      interfaces: all.list('if', readInterface),
      load: load.present
        ? compact({
            oneMinute: load.number('1m'),
            fiveMinutes: load.number('5m'),
            fifteenMinutes: load.number('15m'),
          })
        : undefined,
    }),
    params,
  };
}
