import { ANNOTATIONS, type VirtualMachineInstance } from '@yagura/api';

export type Method = 'LiveMigration' | 'BlockMigration';

/** Whether a guest could be moved, and how; every blocker in the order in which the contract looks for them. */
export interface Migratability {
  method: Method;
  blockers: { reason: string; message: string }[];
  storageBlockers: string[];
}

/** KubeVirt's evaluation, as far as this version has the features it asks about. */
export function migratability(
  vmi: VirtualMachineInstance,
  node: { name: string; knowsHostModel: boolean; emulates: boolean },
): Migratability {
  const blockers: Migratability['blockers'] = [];
  const block = (reason: string, message: string) => blockers.push({ reason, message });
  const { domain, networks = [] } = vmi.spec;
  const devices = domain.devices as Record<string, unknown> & typeof domain.devices;
  const podNetwork = networks.find(({ pod }) => pod !== undefined);
  const nic = domain.devices?.interfaces?.find(({ name }) => name === podNetwork?.name);
  const allowed = vmi.metadata.annotations?.[ANNOTATIONS.allowPodBridgeLiveMigration] !== undefined;
  if (nic !== undefined && nic.masquerade === undefined && !(nic.bridge !== undefined && allowed)) {
    block(
      'InterfaceNotLiveMigratable',
      'cannot migrate VMI which does not use masquerade or a migratable plugin to connect to the pod network',
    );
  }
  // Under emulation the guest's CPU is not the host's.
  if (!node.emulates && domain.cpu?.model === 'host-model' && !node.knowsHostModel) {
    block('CPUModeLiveMigratable', `the node "${node.name}" does not allow migration with host-model`);
  }
  if (some(devices?.['gpus']) || some(devices?.['hostDevices'])) {
    block('HostDeviceNotLiveMigratable', 'VMI uses a PCI host devices');
  }
  const security = (domain as Record<string, unknown>)['launchSecurity'] as Record<string, unknown> | undefined;
  if (security?.['sev'] !== undefined || security?.['snp'] !== undefined) block('SEVNotLiveMigratable', 'VMI uses SEV');
  if (security?.['tdx'] !== undefined) block('TDXNotLiveMigratable', 'VMI uses TDX');
  if (security !== undefined && vmi.spec.architecture === 's390x') {
    block('SecureExecutionNotLiveMigratable', 'VMI uses Secure Execution');
  }
  if (domain.features?.hyperv?.reenlightenment?.enabled && vmi.status?.topologyHints?.tscFrequency === undefined) {
    block(
      'NoTSCFrequencyNotLiveMigratable',
      'VMI uses Hyper-V reenlightenment, and the TSC frequency that its target would need is not known',
    );
  }
  if ((domain.features as Record<string, { enabled?: boolean }> | undefined)?.['hypervPassthrough']?.enabled) {
    block('HypervPassthroughNotLiveMigratable', 'VMI uses hyperv passthrough');
  }
  const storage = disks(vmi);
  for (const message of storage.blockers) block('DisksNotLiveMigratable', message);
  return { method: storage.method, blockers, storageBlockers: storage.blockers };
}

function disks(vmi: VirtualMachineInstance): { method: Method; blockers: string[] } {
  const blockers: string[] = [];
  let method: Method = 'LiveMigration';
  for (const volume of vmi.spec.volumes ?? []) {
    const disk = vmi.spec.domain.devices?.disks?.find(({ name }) => name === volume.name);
    const source = volume as unknown as Record<string, Record<string, unknown> | undefined>;
    const claim = source['persistentVolumeClaim']?.['claimName'] ?? source['dataVolume']?.['name'];
    if (claim !== undefined) {
      const info = vmi.status?.volumeStatus?.find(({ name }) => name === volume.name)?.persistentVolumeClaimInfo;
      if (info?.accessModes === undefined) {
        blockers.push(
          `cannot migrate VMI: Unable to determine if PVC ${String(claim)} is shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)`,
        );
      } else if (!info.accessModes.includes('ReadWriteMany')) {
        blockers.push(
          `cannot migrate VMI: PVC ${String(claim)} is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)`,
        );
      }
    } else if (source['hostDisk'] !== undefined) {
      if (source['hostDisk']['shared'] !== true) blockers.push('cannot migrate VMI with non-shared HostDisk');
    } else if (disk !== undefined && (disk.cdrom === undefined || disk.cdrom.readonly === false)) {
      method = 'BlockMigration';
    }
  }
  return { method, blockers };
}

function some(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
