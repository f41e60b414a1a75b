import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NativeFailure } from './errors.ts';
import type { NativeEvent } from './events.ts';
import type { TypedValue } from './typed-params.ts';

// The bridge to native/*.cc: plain data only, in the same order as native/module.cc exports it.
// Every call runs on a worker thread of its connection and answers through `done`; the number that it returns
// names the call for `abandon`. null stands for "absent", never undefined.

declare const connectionBrand: unique symbol;
declare const domainBrand: unique symbol;
export interface ConnectionHandle {
  readonly [connectionBrand]: true;
}
export interface DomainHandle {
  readonly [domainBrand]: true;
}
export type CallId = number;
export type Done<T> = (failure: NativeFailure | null, value: T) => void;
export type Call<Args extends unknown[], T> = (...args: [...Args, done: Done<T>]) => CallId;
export type OfConnection<Args extends unknown[], T> = Call<[ConnectionHandle, ...Args], T>;
export type OfDomain<Args extends unknown[], T> = Call<[DomainHandle, ...Args], T>;
/** Name, UUID, id; the handle is there unless the domain is only told of. */
export type NativeDomain = readonly [DomainHandle, string, string];
export type NativeStats = readonly [name: string, uuid: string, id: number, params: TypedValue[]];
export type NativeAddress = readonly [name: string, hwaddr: string | null, addrs: (string | number)[]];

export interface NativeOpenOptions {
  keepAliveInterval: number;
  keepAliveCount: number;
  readOnly: boolean;
}

export interface Native {
  /** libvirt's version as major * 1 000 000 + minor * 1000 + release: compiled against, and loaded. */
  versions(): { compiled: number; loaded: number };
  /** Lets go of a call: `done` will not be called. True if it had not started, and so never will. */
  abandon(call: CallId): boolean;
  /** Figures for tests: what is alive on the native side. */
  counts(): { calls: number; connections: number; domains: number; droppedEvents: number };

  connectionOpen: Call<
    [string, NativeOpenOptions, (event: NativeEvent) => void, (reason: number) => void],
    ConnectionHandle
  >;
  connectionClose: OfConnection<[], null>;
  connectionIsAlive: OfConnection<[], boolean>;
  connectionSubscribe: OfConnection<[eventId: number], null>;
  connectionUnsubscribe: OfConnection<[eventId: number], null>;
  connectionGetVersion: OfConnection<[], number>;
  connectionGetLibVersion: OfConnection<[], number>;
  connectionGetHostname: OfConnection<[], string>;
  connectionGetURI: OfConnection<[], string>;
  connectionGetCapabilities: OfConnection<[], string>;
  connectionGetDomainCapabilities: OfConnection<
    [emulator: string | null, arch: string | null, machine: string | null, virtType: string | null],
    string
  >;
  connectionListAllDomains: OfConnection<[flags: number], NativeDomain[]>;
  connectionLookupByName: OfConnection<[string], NativeDomain>;
  connectionLookupByUUID: OfConnection<[string], NativeDomain>;
  connectionDefineXML: OfConnection<[xml: string, flags: number], NativeDomain>;
  connectionCreateXML: OfConnection<[xml: string, flags: number], NativeDomain>;
  connectionGetAllDomainStats: OfConnection<[groups: number, flags: number], NativeStats[]>;

  /** Gives the handle back; no call. */
  domainClose(domain: DomainHandle): void;
  domainGetID: OfDomain<[], number>;
  domainCreate: OfDomain<[flags: number], null>;
  domainSuspend: OfDomain<[], null>;
  domainResume: OfDomain<[], null>;
  domainShutdown: OfDomain<[flags: number], null>;
  domainReboot: OfDomain<[flags: number], null>;
  domainReset: OfDomain<[], null>;
  domainDestroy: OfDomain<[flags: number], null>;
  domainUndefine: OfDomain<[flags: number], null>;
  domainGetXMLDesc: OfDomain<[flags: number], string>;
  domainGetState: OfDomain<[], readonly [state: number, reason: number]>;
  domainGetInfo: OfDomain<[], readonly [state: number, maxMem: bigint, memory: bigint, vcpus: number, cpuTime: bigint]>;
  domainGetControlInfo: OfDomain<[], readonly [state: number, details: number, stateTime: number]>;
  domainIsActive: OfDomain<[], boolean>;
  domainIsPersistent: OfDomain<[], boolean>;
  domainMemoryStats: OfDomain<[], (number | bigint)[]>;
  domainSetMemoryStatsPeriod: OfDomain<[seconds: number, flags: number], null>;
  domainBlockStats: OfDomain<[disk: string], TypedValue[]>;
  domainBlockInfo: OfDomain<[disk: string], readonly [capacity: bigint, allocation: bigint, physical: bigint]>;
  domainInterfaceStats: OfDomain<[device: string], readonly bigint[]>;
  domainDiskErrors: OfDomain<[], (string | number)[]>;
  domainStartDirtyRateCalc: OfDomain<[seconds: number, flags: number], null>;
  domainGetMetadata: OfDomain<[type: number, uri: string | null, flags: number], string>;
  domainSetMetadata: OfDomain<
    [type: number, metadata: string | null, key: string | null, uri: string | null, flags: number],
    null
  >;
  domainAttachDevice: OfDomain<[xml: string, flags: number], null>;
  domainDetachDevice: OfDomain<[xml: string, flags: number], null>;
  domainUpdateDevice: OfDomain<[xml: string, flags: number], null>;
  domainSetVcpus: OfDomain<[count: number, flags: number], null>;
  domainScreenshot: OfDomain<[screen: number], readonly [mimeType: string, data: Buffer]>;
  domainQemuMonitorCommand: OfDomain<[command: string, flags: number], string>;

  domainGetGuestInfo: OfDomain<[types: number], TypedValue[]>;
  domainAgentCommand: OfDomain<[command: string, timeoutSeconds: number], string | null>;
  domainSetAgentResponseTimeout: OfDomain<[seconds: number], null>;
  domainInterfaceAddresses: OfDomain<[source: number], NativeAddress[]>;
  domainGetHostname: OfDomain<[flags: number], string>;
  domainGetTime: OfDomain<[], readonly [seconds: bigint, nanoseconds: number]>;
  domainSetTime: OfDomain<[seconds: bigint, nanoseconds: number, flags: number], null>;
  domainFSFreeze: OfDomain<[mountpoints: readonly string[]], number>;
  domainFSThaw: OfDomain<[mountpoints: readonly string[]], number>;

  domainGetJobStats: OfDomain<[flags: number], readonly [type: number, params: TypedValue[]]>;
  domainAbortJob: OfDomain<[flags: number], null>;
  domainMigrateToURI3: OfDomain<[uri: string | null, params: readonly TypedValue[], flags: number], null>;
  domainMigrateSetMaxSpeed: OfDomain<[mebibytesPerSecond: bigint, flags: number], null>;
  domainMigrateGetMaxSpeed: OfDomain<[flags: number], bigint>;
  domainMigrateSetMaxDowntime: OfDomain<[milliseconds: bigint], null>;
  domainMigrateStartPostCopy: OfDomain<[], null>;
}

const FILE = 'yagura-libvirt.node';

/** Where the addon may be: named by YAGURA_LIBVIRT_NATIVE, beside the bundle, or in the source tree's build folder. */
export function candidates(moduleUrl: string, env: NodeJS.ProcessEnv): string[] {
  if (env['YAGURA_LIBVIRT_NATIVE']) return [env['YAGURA_LIBVIRT_NATIVE']];
  const here = dirname(fileURLToPath(moduleUrl));
  return [join(here, FILE), join(here, '../native/build', FILE)];
}

let loaded: Native | undefined;

/** Loads the addon at the first call, so that importing the types or the pure parts needs no libvirt. */
export function native(): Native {
  if (loaded) return loaded;
  const require = createRequire(import.meta.url);
  const paths = candidates(import.meta.url, process.env);
  const failures: string[] = [];
  for (const path of paths) {
    try {
      loaded = require(path) as Native;
      return loaded;
    } catch (error) {
      failures.push(`${path}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  throw new Error(`The libvirt addon cannot be loaded; build it with "npm run build:native".\n${failures.join('\n')}`);
}
