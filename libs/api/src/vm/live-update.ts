import { ANNOTATIONS } from '../annotations.ts';
import type { ClusterConfig } from '../config.ts';
import { defaultVirtualMachine } from '../defaults/defaults.ts';
import { withDefaultDevices } from '../defaults/devices.ts';
import { jsonPatch } from '../json-patch.ts';
import type {
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
  VirtualMachineSpec,
} from '../types.ts';
import { socketsDiffer, socketsFollow, withoutSockets, withSockets } from './live-cpus.ts';
import { memoryDiffers, memoryObstacle, withMemory, withoutMemory } from './live-memory.ts';
import { networksFollow } from './live-networks.ts';
import { followPlugged, withoutPlugged } from './plugged-volumes.ts';

interface LiveField {
  /** Below the spec of the template, and of the instance alike. */
  path: readonly string[];
  /** Reason of the Failure condition when the instance cannot be given the new value. */
  failure: string;
}

/** Fields of the template that a running instance follows, under the rollout strategy LiveUpdate. */
const LIVE_FIELDS: readonly LiveField[] = [
  { path: ['nodeSelector'], failure: 'AffinityChangeError' },
  { path: ['affinity'], failure: 'AffinityChangeError' },
  { path: ['tolerations'], failure: 'TolerationsChangeError' },
];

/** Followed as well, as long as `networksFollow`. */
const NETWORK_FIELDS: readonly LiveField[] = [
  { path: ['networks'], failure: 'HotPlugNetworkInterfaceError' },
  { path: ['domain', 'devices', 'interfaces'], failure: 'HotPlugNetworkInterfaceError' },
];

/** Followed as well, as far as `socketsFollow`. */
const SOCKETS = ['domain', 'cpu', 'sockets'];

/** Followed as well, unless there is a `memoryObstacle`. */
const MEMORY = ['domain', 'memory', 'guest'];

/** Which sizes of a guest its running instance follows. */
interface Growing {
  cpus: boolean;
  memory: boolean;
}

/** How a running instance relates to a virtual machine that has been changed since the start. */
export interface TemplateDrift {
  /** Fields of the template that take effect at the next start only, such as `domain.cpu.cores`; some with the reason. */
  restartFor: string[];
  /** The instance with everything that can be changed while it runs; the same object when nothing is to be written. */
  instance: VirtualMachineInstance;
  /** Reason of the Failure condition, should the instance not take the change. */
  failure: string;
}

/**
 * @param started what the virtual machine asked for when the instance was made
 */
export function templateDrift(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance,
  started: VirtualMachineSpec,
  config: ClusterConfig,
): TemplateDrift {
  const template = withDefaultDevices(vm.spec.template.spec, config);
  const hasMoved = ({ path }: LiveField) => differ(valueAt(vmi.spec, path), valueAt(template, path));
  const isLive = config.vmRolloutStrategy === 'LiveUpdate';
  const followsNetworks = isLive && networksFollow(vmi, template);
  const live = [...(isLive ? LIVE_FIELDS : []), ...(followsNetworks ? NETWORK_FIELDS : [])];
  const obstacle = isLive ? memoryObstacle(vmi, template) : undefined;
  const grows = { cpus: isLive && socketsFollow(vmi, template), memory: isLive && obstacle === undefined };
  const restartFor = changedFields(vm, started, config, grows).filter(
    (path) => !live.some((field) => isBelow(path, field)),
  );
  // What was plugged in after the start and is in the template no more is no difference from then, but one from now.
  const stale = followsNetworks ? [] : NETWORK_FIELDS.filter(hasMoved).map(({ path }) => [...path]);
  if (!restartFor.some((path) => NETWORK_FIELDS.some((field) => isBelow(path, field)))) restartFor.push(...stale);
  const isNamed = (what: string) =>
    restartFor.some(([part, of]) => part === 'domain' && (of === what || of === 'resources'));
  if (!grows.cpus && socketsDiffer(vmi, template) && !isNamed('cpu')) restartFor.push(SOCKETS);
  if (!grows.memory && memoryDiffers(vmi, template) && !isNamed('memory')) restartFor.push(MEMORY);
  const followed = live.filter(hasMoved);
  const plugged = followPlugged(vmi, vm.spec.template.spec);
  const placed = followed.reduce(
    (result, { path }) => withValueAt(result, path, valueAt(template, path)),
    plugged.spec,
  );
  const withCpus = grows.cpus ? withSockets(placed, template) : placed;
  const spec = grows.memory ? withMemory(withCpus, template) : withCpus;
  const updated = spec === vmi.spec ? vmi : { ...vmi, spec };
  const isCurrent =
    plugged.complete && restartFor.length === 0 && !differ(started.template.metadata, vm.spec.template.metadata);
  return {
    restartFor: restartFor.map((path) => {
      const name = fieldName(path);
      return obstacle !== undefined && name === MEMORY.join('.') ? `${name} (${obstacle})` : name;
    }),
    instance: isCurrent ? ofGeneration(updated, vm.metadata.generation) : updated,
    failure: followed[0]?.failure ?? growthFailure(placed, withCpus, spec),
  };
}

function growthFailure(placed: object, withCpus: object, withMemory: object): string {
  if (withMemory !== withCpus) return 'HotPlugMemoryError';
  return withCpus === placed ? 'FailedUpdateError' : 'HotPlugCPUError';
}

/** Whether the instance may be of another generation of the virtual machine than the present one. */
export function isOfOtherGeneration(vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  return vmi.metadata.annotations?.[ANNOTATIONS.vmGeneration] !== String(vm.metadata.generation ?? 0);
}

function changedFields(
  vm: VirtualMachine,
  started: VirtualMachineSpec,
  config: ClusterConfig,
  grows: Growing,
): string[][] {
  // What the webhook adds to an old virtual machine by itself is no change: the guest has had it all along.
  const source = { uuid: () => '' };
  const before = defaultVirtualMachine({ ...vm, spec: started }, config, source, vm);
  const after = defaultVirtualMachine(vm, config, source, before);
  // Volumes that may come and go are followed, whatever the strategy.
  const fixed = ({ spec }: VirtualMachine) => {
    const sized = withoutPlugged(spec.template.spec);
    const withoutCpus = grows.cpus ? withoutSockets(sized) : sized;
    return grows.memory ? withoutMemory(withoutCpus) : withoutCpus;
  };
  const operations = jsonPatch(fixed(before), fixed(after));
  return operations.map(({ path }) => path.slice(1).split('/'));
}

function isBelow(path: readonly string[], field: LiveField): boolean {
  return field.path.every((part, index) => path[index] === part);
}

/** `devices/disks/0/-` → `devices.disks[0]` */
function fieldName(path: readonly string[]): string {
  return path
    .filter((part) => part !== '-')
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('')
    .slice(1);
}

function ofGeneration(vmi: VirtualMachineInstance, generation = 0): VirtualMachineInstance {
  const annotations = { ...vmi.metadata.annotations, [ANNOTATIONS.vmGeneration]: String(generation) };
  return { ...vmi, metadata: { ...vmi.metadata, annotations } };
}

function differ(before: unknown, after: unknown): boolean {
  return jsonPatch({ value: before }, { value: after }).length > 0;
}

type Part = Record<string, unknown>;

function valueAt(part: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Part | undefined)?.[key], part);
}

function withValueAt(
  spec: VirtualMachineInstanceSpec,
  path: readonly string[],
  value: unknown,
): VirtualMachineInstanceSpec {
  const set = (part: unknown, [head = '', ...tail]: readonly string[]): Part => ({
    ...(part as Part | undefined),
    [head]: tail.length === 0 ? value : set((part as Part | undefined)?.[head], tail),
  });
  return set(spec, path) as unknown as VirtualMachineInstanceSpec;
}
