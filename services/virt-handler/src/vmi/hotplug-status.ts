import {
  isHotpluggable,
  type VirtualMachineInstance,
  type VirtualMachineInstanceStatus,
  type VolumeStatus,
} from '@yagura/api';
import type { Domain } from '@yagura/contracts';

/** Words of a volume's status that this node has the say in. */
export type VolumePhase = Required<Pick<VolumeStatus, 'phase' | 'reason' | 'message'>>;

/** What stands between one look and the state that the spec asks for. */
export interface HotplugWork {
  /** Volumes of the spec that the guest does not have yet. */
  plugIn: string[];
  /** Volumes that the spec has no more, and that are not out of the pod yet. */
  takeOut: string[];
}

/** Undefined while everything is as it should be, which is nearly always. */
export function hotplugWork(vmi: VirtualMachineInstance, domain: Domain): HotplugWork | undefined {
  const { names, leaving } = volumesOf(vmi);
  const plugIn = names.filter((name) => !isReady(vmi, name) || !has(domain, name));
  const takeOut = leaving.filter(({ phase }) => phase !== 'UnMountedFromPod').map(({ name }) => name);
  return plugIn.length + takeOut.length === 0 ? undefined : { plugIn, takeOut };
}

/** Volumes of the spec that come and go while the guest runs, and what is left of those that were taken out of it. */
function volumesOf({ spec, status }: VirtualMachineInstance): { names: string[]; leaving: VolumeStatus[] } {
  const shown = new Set((spec.domain.devices.disks ?? []).map(({ name }) => name));
  const names = (spec.volumes ?? []).filter(isHotpluggable).map(({ name }) => name);
  const known = (status?.volumeStatus ?? []).filter(({ hotplugVolume }) => hotplugVolume !== undefined);
  return {
    names: names.filter((name) => shown.has(name)),
    leaving: known.filter(({ name }) => !spec.volumes?.some((volume) => volume.name === name)),
  };
}

function isReady({ status }: VirtualMachineInstance, name: string): boolean {
  return status?.volumeStatus?.some((volume) => volume.name === name && volume.phase === 'Ready') === true;
}

/** Whether the guest has the volume in a drive. */
export function has(domain: Domain | undefined, name: string): boolean {
  return domain?.disks.some((disk) => disk.name === name && disk.source !== undefined) === true;
}

export interface HotplugResult {
  work: HotplugWork;
  domain: Domain | undefined;
  /** Where the claims are in the launcher's container. */
  mounted: ReadonlyMap<string, string>;
  released: readonly string[];
  /** What went wrong, by volume. */
  problems: ReadonlyMap<string, string>;
}

/** The phases that follow; a volume that is not told of stays as virt-controller has it. */
export function volumePhases({ work, domain, mounted, released, problems }: HotplugResult): Map<string, VolumePhase> {
  const phases = new Map<string, VolumePhase>();
  for (const name of work.plugIn) {
    const problem = problems.get(name);
    if (has(domain, name)) phases.set(name, ready(name));
    else if (mounted.has(name)) phases.set(name, withProblem(mountedToPod(name), problem));
    else if (problem !== undefined)
      phases.set(name, withProblem({ ...mountedToPod(name), phase: 'AttachedToNode' }, problem));
  }
  for (const name of work.takeOut) {
    phases.set(name, released.includes(name) ? unmounted(name) : withProblem(detaching(name), problems.get(name)));
  }
  return phases;
}

const ready = (name: string): VolumePhase => ({
  phase: 'Ready',
  reason: 'VolumeReady',
  message: `Successfully attach hotplugged volume ${name} to VM`,
});
const mountedToPod = (name: string): VolumePhase => ({
  phase: 'MountedToPod',
  reason: 'VolumeMountedToPod',
  message: `Volume ${name} has been mounted in virt-launcher pod`,
});
const unmounted = (name: string): VolumePhase => ({
  phase: 'UnMountedFromPod',
  reason: 'VolumeUnMountedFromPod',
  message: `Volume ${name} has been unmounted from virt-launcher pod`,
});
const detaching = (name: string): VolumePhase => ({
  phase: 'Detaching',
  reason: 'VolumeDetaching',
  message: `Volume ${name} is being taken out of the guest`,
});

function withProblem(phase: VolumePhase, problem: string | undefined): VolumePhase {
  return problem === undefined ? phase : { ...phase, reason: 'HotplugFailed', message: problem };
}

/** The status with the phases of its volumes put in; what left the pod has no device name any more. */
export function withVolumePhases(
  phases: ReadonlyMap<string, VolumePhase> | undefined,
  status: VirtualMachineInstanceStatus,
): VirtualMachineInstanceStatus {
  if (phases === undefined || phases.size === 0 || status.volumeStatus === undefined) return status;
  const volumeStatus = status.volumeStatus.map((volume) => {
    const phase = phases.get(volume.name);
    if (phase === undefined) return volume;
    return { ...volume, ...phase, ...(phase.phase === 'UnMountedFromPod' ? { target: '' } : {}) };
  });
  return { ...status, volumeStatus };
}

/** The phases that are news, for the events; those that virt-controller has told of are not among them. */
export function phaseChanges(
  before: VirtualMachineInstance,
  after: VirtualMachineInstance,
  told: ReadonlyMap<string, VolumePhase> | undefined,
): VolumePhase[] {
  return [...(told ?? [])].flatMap(([name, phase]) => {
    const of = ({ status }: VirtualMachineInstance) => status?.volumeStatus?.find((volume) => volume.name === name);
    const was = of(before);
    const isNews = was?.reason !== phase.reason || was.message !== phase.message;
    return of(after) !== undefined && isNews ? [phase] : [];
  });
}
