import { toJson } from '@bufbuild/protobuf';
import type { VirtualMachineInstance } from '@yagura/api';
import {
  type DhcpLease,
  type DomainOptions,
  type InterfaceAttachment,
  RpcError,
  Status,
  type SyncInterfacesRequest,
  type SyncVirtualMachineRequest,
  type SyncVolumesRequest,
  VirtualMachineInstanceSchema,
  type VolumeOptions,
} from '@yagura/contracts';
import type { Lease, Routing } from '../dhcp/lease.ts';
import type { PlugRequest } from '../domain/plug.ts';
import type { SyncRequest } from '../domain/sync.ts';
import type { InterfaceRequest } from '../domain/sync-interfaces.ts';
import { present } from './domain-message.ts';

/** The contract's request in the launcher's own types; INVALID_ARGUMENT names what is missing. */
export function syncRequest({ vmi, options }: SyncVirtualMachineRequest): SyncRequest {
  if (options === undefined) throw missing('options');
  return {
    vmi: instanceOf(vmi),
    options: conversionOptions(options),
    containerDisks: new Map(options.containerDisks.map(({ volume, path }) => [volume, path])),
    volumes: volumeFacts(options.volumes),
    leases: leases(options),
  };
}

export function interfaceRequest({ vmi, options }: SyncInterfacesRequest): InterfaceRequest {
  if (options === undefined) throw missing('options');
  return { vmi: instanceOf(vmi), options: conversionOptions(options), leases: leases(options) };
}

export function plugRequest({ vmi, volumes }: SyncVolumesRequest): PlugRequest {
  return { vmi: instanceOf(vmi), volumes: volumeFacts(volumes) };
}

function volumeFacts(volumes: VolumeOptions | undefined): PlugRequest['volumes'] {
  return {
    claims: new Map((volumes?.claims ?? []).map(({ volume, capacityBytes }) => [volume, capacityBytes])),
    hotplug: new Map((volumes?.hotplug ?? []).map(({ volume, path }) => [volume, path])),
    rules: {
      reservedBytes: volumes?.reservedBytes ?? 0n,
      shortagePercent: volumes?.toleratedShortagePercent ?? 0,
    },
  };
}

/** The instance of a request, as Kubernetes writes it. */
export function instanceOf(vmi: SyncVirtualMachineRequest['vmi']): VirtualMachineInstance {
  if (vmi === undefined) throw missing('vmi');
  const instance = toJson(VirtualMachineInstanceSchema, vmi) as unknown as VirtualMachineInstance;
  for (const field of ['name', 'namespace', 'uid'] as const) {
    if (!instance.metadata?.[field]) throw missing(`vmi.metadata.${field}`);
  }
  if (instance.spec?.domain === undefined) throw missing('vmi.spec.domain');
  // Protobuf knows no difference between an empty message and one that was left out.
  instance.spec.domain.devices ??= {};
  return instance;
}

function missing(field: string): RpcError {
  const violations = [{ field, description: 'is missing' }];
  return new RpcError(Status.INVALID_ARGUMENT, `${field} is missing`, { reason: 'CANNOT_CONVERT', violations });
}

function conversionOptions(options: DomainOptions): SyncRequest['options'] {
  const { kernelBoot, systemInformation, balloonStatsPeriod } = options;
  return present<SyncRequest['options']>({
    accelerator: options.useEmulation ? 'tcg' : 'kvm',
    interfaces: options.interfaces.map(({ name, tapDevice, macAddress, mtu }) =>
      present({ name, tapDevice, macAddress: macAddress || undefined, mtu: mtu || undefined }),
    ),
    kernelBoot:
      kernelBoot?.kernelPath === undefined
        ? undefined
        : present({ kernelPath: kernelBoot.kernelPath, initrdPath: kernelBoot.initrdPath }),
    firmwareDirectory: options.firmwareDirectory || undefined,
    systemInformation: systemInformation && withoutTypeName(systemInformation),
    balloonStatsPeriodSeconds: balloonStatsPeriod && Number(balloonStatsPeriod.seconds),
  });
}

function withoutTypeName({
  manufacturer,
  product,
  version,
  family,
  sku,
}: NonNullable<DomainOptions['systemInformation']>) {
  return present({ manufacturer, product, version, family, sku });
}

function leases({ interfaces }: DomainOptions): Lease[] {
  return interfaces.flatMap((nic) => (nic.dhcp === undefined ? [] : [lease(nic, nic.dhcp)]));
}

function lease(nic: InterfaceAttachment, dhcp: DhcpLease): Lease {
  return present<Lease>({
    macAddress: nic.macAddress.toLowerCase(),
    serverAddress: dhcp.serverAddress,
    guestAddress: dhcp.guestAddress,
    prefixLength: dhcp.prefixLength,
    mtu: nic.mtu || undefined,
    dnsServers: dhcp.dnsServers,
    searchDomains: dhcp.searchDomains,
    hostname: dhcp.hostname,
    ntpServers: dhcp.ntpServers,
    tftpServerName: dhcp.tftpServerName,
    bootFileName: dhcp.bootFileName,
    privateOptions: dhcp.privateOptions,
    routing: dhcp.routing && routing(dhcp.routing),
  });
}

function routing({ router, routes }: NonNullable<DhcpLease['routing']>): Routing {
  return present<Routing>({
    router,
    routes: routes.map(({ destination, gateway }) => ({ destination, gateway })),
  });
}
