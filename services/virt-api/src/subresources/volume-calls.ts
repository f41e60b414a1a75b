import {
  ANNOTATIONS,
  type ClusterConfig,
  claimNameOf,
  type Disk,
  ephemeralVolumes,
  ephemeralVolumesText,
  isHotpluggable,
  pluggedVolume,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
  type Volume,
  without,
  withVolume,
} from '@yagura/api';
import { checkStructure, validateVirtualMachineInstance } from '@yagura/api/validation';
import { isFailedPatchTest, type JsonPatchOperation } from '@yagura/kube';
import { readJsonObject } from '../http/body.ts';
import type { Reply, RequestContext } from '../http/router.ts';
import { badRequest, conflict, notFound, type StatusSubject } from '../http/status.ts';
import { VirtualMachineInstances, VirtualMachines, vmiSubject, vmSubject } from './objects.ts';
import { dryRunOptions } from './options.ts';
import { absent, type ObjectClient } from './vm-calls.ts';

type Body = Readonly<Record<string, unknown>>;
export type VolumeVerb = 'addvolume' | 'removevolume';

/** A volume to plug in, as the body of the request names it. */
export interface AddVolume {
  name: string;
  disk: Disk;
  source: Pick<Volume, 'persistentVolumeClaim' | 'dataVolume'>;
}

const GATES = ['HotplugVolumes', 'DeclarativeHotplugVolumes'];
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** On the others libvirt cannot plug anything into a running machine. */
const BUSES = ['scsi', 'virtio'];

/**
 * PUT addvolume and removevolume. On a VirtualMachine it is a request in its status, which virt-controller carries into the
 * template and from there into the running instance; on an instance it ends with the instance.
 */
export function volumeCall(
  client: ObjectClient,
  config: () => ClusterConfig,
  on: 'vm' | 'vmi',
  verb: VolumeVerb,
): (context: RequestContext) => Promise<Reply> {
  return async (context) => {
    const { featureGates } = config();
    if (!GATES.some((gate) => featureGates.has(gate)))
      throw badRequest(`Unable to ${verb}: neither feature gate ${GATES.join(' nor ')} is enabled`);
    const body = await readJsonObject(context.request);
    const { dryRun } = dryRunOptions(body);
    const target = { namespace: context.params['namespace'] ?? '', name: context.params['name'] ?? '' };
    const subject = on === 'vm' ? vmSubject(target.name) : vmiSubject(target.name);
    const resource = on === 'vm' ? VirtualMachines : VirtualMachineInstances;
    const found = await client.get(resource as typeof VirtualMachines, target, {}, context.signal).catch(absent);
    if (found === undefined) throw notFound(subject);
    const patch =
      on === 'vm'
        ? vmPatch(found as unknown as VirtualMachine, verb, body, subject)
        : vmiPatch(found as unknown as VirtualMachineInstance, verb, body, subject);
    const before =
      on === 'vm'
        ? (found as unknown as VirtualMachine).spec.template.spec
        : (found as unknown as VirtualMachineInstance).spec;
    if (verb === 'addvolume') checkAdded(before, addVolume(body), config());
    const options = { dryRun, ...(on === 'vm' ? { subresource: 'status' } : {}) };
    await client
      .patch(resource as typeof VirtualMachines, target, { type: 'json', body: patch }, options)
      .catch((error: unknown) => {
        if (isFailedPatchTest(error)) throw conflict(subject, 'the object has been modified meanwhile; try again');
        throw error;
      });
    return { status: 202 };
  };
}

/** Adds to the requests in the status; what is asked for twice, or cannot be, is refused. */
export function vmPatch(
  vm: VirtualMachine,
  verb: VolumeVerb,
  body: Body,
  subject: StatusSubject,
): JsonPatchOperation[] {
  const { volumeRequests: pending } = vm.status ?? {};
  const name = nameOf(body);
  if (pending?.some((one) => (one.addVolumeOptions ?? one.removeVolumeOptions)?.name === name)) {
    throw conflict(subject, `a request for volume "${name}" is under way already; try again when it is done`);
  }
  const request = requestOf(vm.spec.template.spec, verb, body, subject);
  return [
    ...(vm.status === undefined
      ? [{ op: 'test', path: '/status', value: null } as const, { op: 'add', path: '/status', value: {} } as const]
      : [{ op: 'test', path: '/status/volumeRequests', value: pending ?? null } as const]),
    { op: 'add', path: '/status/volumeRequests', value: [...(pending ?? []), request] },
  ];
}

function requestOf(spec: VirtualMachineInstanceSpec, verb: VolumeVerb, body: Body, subject: StatusSubject) {
  if (verb === 'addvolume') {
    const { name, disk, source } = addVolume(body);
    mayAdd(spec, name, source, subject);
    return { addVolumeOptions: { name, disk, volumeSource: source } };
  }
  const name = nameOf(body);
  mayRemove(spec, name, subject);
  return { removeVolumeOptions: { name } };
}

/** Changes the spec of the instance itself, for as long as it runs. */
export function vmiPatch(
  vmi: VirtualMachineInstance,
  verb: VolumeVerb,
  body: Body,
  subject: StatusSubject,
): JsonPatchOperation[] {
  if (vmi.status?.phase !== 'Running') throw conflict(subject, 'VMI is not running');
  const own = ephemeralVolumes(vmi);
  let after: VirtualMachineInstanceSpec;
  let names: string[];
  if (verb === 'addvolume') {
    const { name, disk, source } = addVolume(body);
    mayAdd(vmi.spec, name, source, subject);
    if (vmi.status.volumeStatus?.some((volume) => volume.name === name))
      throw conflict(subject, `volume "${name}" is still being taken out of the guest; try again when it is gone`);
    after = withVolume(vmi.spec, pluggedVolume(name, source), disk);
    names = [...own, name];
  } else {
    const name = nameOf(body);
    mayRemove(vmi.spec, name, subject);
    after = without(vmi.spec, (one) => one === name);
    names = own.filter((one) => one !== name);
  }
  const before = vmi.spec;
  return [
    { op: 'test', path: '/spec/volumes', value: before.volumes ?? null },
    { op: 'test', path: '/spec/domain/devices/disks', value: before.domain.devices.disks ?? null },
    { op: 'add', path: '/spec/volumes', value: after.volumes },
    { op: 'add', path: '/spec/domain/devices/disks', value: after.domain.devices.disks },
    ...annotated(vmi, ephemeralVolumesText(names)),
  ];
}

function annotated({ metadata }: VirtualMachineInstance, text: string): JsonPatchOperation[] {
  const key = ANNOTATIONS.ephemeralHotplugVolumes;
  if (metadata.annotations === undefined) {
    return [{ op: 'add', path: '/metadata/annotations', value: { [key]: text } }];
  }
  return [{ op: 'add', path: `/metadata/annotations/${key.replaceAll('/', '~1')}`, value: text }];
}

/** What is plugged in is written in our own name, past the webhooks: whatever it alone makes wrong is told here. */
export function checkAdded(
  before: VirtualMachineInstanceSpec,
  { name, disk, source }: AddVolume,
  config: ClusterConfig,
): void {
  const wrong = (spec: VirtualMachineInstanceSpec): string[] => {
    const vmi: VirtualMachineInstance = { metadata: { name: 'checked' }, spec };
    const structural = checkStructure('VirtualMachineInstance', vmi);
    const causes =
      structural.length > 0
        ? structural
        : validateVirtualMachineInstance(vmi, config, { operation: 'CREATE', byProduct: true });
    return causes.map(({ message }) => message);
  };
  const known = wrong(before);
  const news = wrong(withVolume(before, pluggedVolume(name, source), disk)).filter((one) => !known.includes(one));
  if (news.length > 0) throw badRequest(`Unable to add volume [${name}]: ${news.join('; ')}`);
}

function mayAdd(
  { volumes = [], domain }: VirtualMachineInstanceSpec,
  name: string,
  source: AddVolume['source'],
  subject: StatusSubject,
): void {
  const there = [...volumes, ...(domain.devices.disks ?? [])].some((one) => one.name === name);
  if (there) throw conflict(subject, `Unable to add volume [${name}] because volume with that name already exists`);
  const claimName = claimNameOf({ name, ...source });
  const other = volumes.find((volume) => claimNameOf(volume) === claimName);
  if (other)
    throw conflict(
      subject,
      `Unable to add volume source [${claimName}] because it already exists as volume ${other.name}`,
    );
  if (domain.devices.disableHotplug)
    throw conflict(subject, `Unable to add volume [${name}] because the machine has disableHotplug`);
}

function mayRemove({ volumes }: VirtualMachineInstanceSpec, name: string, subject: StatusSubject): void {
  const volume = volumes?.find((one) => one.name === name);
  if (volume === undefined) throw conflict(subject, `Unable to remove volume [${name}] because it does not exist`);
  if (!isHotpluggable(volume))
    throw conflict(subject, `Unable to remove volume [${name}] because it is not hotpluggable`);
}

function nameOf({ name }: Body): string {
  if (typeof name !== 'string' || name === '') throw badRequest('name of the volume is required');
  if (!LABEL.test(name)) throw badRequest(`name is "${name}"; it must be a DNS label: a-z, 0-9 and -, at most 63`);
  return name;
}

/** The body of addvolume, checked. */
export function addVolume(body: Body): AddVolume {
  const name = nameOf(body);
  const { disk, volumeSource } = body as { disk?: Disk | null; volumeSource?: AddVolume['source'] | null };
  if (typeof disk !== 'object' || disk === null) throw badRequest('disk is required');
  if (typeof volumeSource !== 'object' || volumeSource === null) throw badRequest('volumeSource is required');
  const { persistentVolumeClaim, dataVolume } = volumeSource;
  if (Boolean(persistentVolumeClaim) === Boolean(dataVolume))
    throw badRequest('volumeSource must have exactly one of persistentVolumeClaim and dataVolume');
  const source = persistentVolumeClaim ? { persistentVolumeClaim } : { dataVolume: dataVolume as { name: string } };
  if (!claimNameOf({ name, ...source })) throw badRequest('volumeSource names no claim');
  if (disk.cdrom) throw badRequest('disk.cdrom cannot be plugged into a running machine; use disk or lun');
  const bus = (disk.lun ?? disk.disk)?.bus ?? 'scsi';
  if (!BUSES.includes(bus)) throw badRequest(`disk bus is "${bus}"; a hotplugged disk must use scsi or virtio`);
  const plugged: Disk = disk.lun
    ? { ...disk, name, lun: { ...disk.lun, bus } }
    : { ...disk, name, disk: { ...disk.disk, bus } };
  return { name, disk: plugged, source };
}
