import { type ClusterConfig, kubevirtConfig, renderLauncherPod, type VirtualMachineInstance } from '@yagura/api';
import { buildDomainXml, type ConversionOptions, convert, type DiskSource } from './index.ts';

/** What of a schema (TypeBox's JSON Schema) this looks at. */
export interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
}
type Step = { name: string; schema: Schema; item: boolean };
type Json = Record<string, unknown>;

/** A field that has a value of its own: its path, such as `domain.devices.disks[].serial`, and the steps to it. */
export interface Leaf {
  path: string;
  steps: Step[];
}

export function leaves(schema: Schema, path = '', steps: Step[] = []): Leaf[] {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [{ path, steps }];
  return properties.flatMap(([name, property]) => {
    const item = property.type === 'array' && property.items?.properties !== undefined;
    const inner = item ? (property.items as Schema) : property;
    const at = `${path}${path === '' ? '' : '.'}${name}${item ? '[]' : ''}`;
    return leaves(inner, at, [...steps, { name, schema: inner, item }]);
  });
}

/** Of these, one excludes the others. */
const EXCLUSIVE = [
  ['disk', 'cdrom', 'lun'],
  ['bios', 'efi'],
  ['utc', 'timezone'],
  ['custom', 'matchVolume'],
  ['hyperv', 'hypervPassthrough'],
  ['sshPublicKey', 'userPassword'],
  ['qemuGuestAgent', 'noCloud', 'configDrive'],
  ['exec', 'guestAgentPing', 'httpGet', 'tcpSocket'],
  ['masquerade', 'bridge', 'sriov', 'passtBinding', 'binding', 'slirp', 'macvtap', 'passt'],
  ['pod', 'multus', 'resourceClaim'],
];
/** What a field needs beside it to mean anything. */
const NEEDS: Record<string, (spec: Json) => void> = {
  'domain.devices.disks[].lun.readonly': ({ domain }) => {
    (domain as typeof BASE.domain).devices.disks = [{ name: 'v0', lun: { bus: 'scsi' } } as never];
  },
  'domain.ioThreads.supplementalPoolThreadCount': ({ domain }) => {
    (domain as Json)['ioThreadsPolicy'] = 'supplementalPool';
  },
};

const disk = { name: 'v0', disk: { bus: 'virtio' } };
const BASE = {
  domain: {
    memory: { guest: '1Gi' },
    cpu: { cores: 2 },
    features: { smm: {} },
    devices: { disks: [disk], interfaces: [{ name: 'n0', masquerade: {} }] },
  },
  networks: [{ name: 'n0', pod: {} }],
  volumes: [{ name: 'v0', emptyDisk: { capacity: '1Gi' } }],
};

const NAMES: Record<string, string> = {
  disks: 'v0',
  volumes: 'v0',
  filesystems: 'v0',
  interfaces: 'n0',
  networks: 'n0',
};

/** A valid value of a schema, as small as can be. */
function filler(schema: Schema, name: string, list: string): unknown {
  if (schema.type === 'object' || schema.properties) return requiredOf(schema, list);
  if (schema.type === 'array') return [filler(schema.items ?? {}, name, list)];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer') return 3;
  if (schema.anyOf) return '3';
  return name === 'name' ? (NAMES[list] ?? 'x0') : (words(schema)[0] ?? '/x0');
}

function requiredOf(schema: Schema, list: string): Json {
  const required = schema.required ?? [];
  return Object.fromEntries(required.map((key) => [key, filler(schema.properties?.[key] ?? {}, key, list)]));
}

function words({ description = '' }: Schema): string[] {
  return /One of: (.*)\.$/.exec(description)?.[1]?.split(', ') ?? [];
}

/** Values to try, of which one at least should make a difference. */
function candidates(schema: Schema): unknown[] {
  if (schema.type === 'boolean') return [true, false];
  if (schema.type === 'integer') return [2, 5];
  if (schema.anyOf) return ['2Gi', '2'];
  if (schema.type === 'array') return [[filler(schema.items ?? {}, '', '')]];
  if (typeof schema.additionalProperties === 'object')
    return [{ 'example.com/x': filler(schema.additionalProperties, '', '') }];
  if (schema.type === 'object') return [{}, { x: 'y' }];
  return [...words(schema), '2Mi', '/y0'];
}

/** The smallest instance in which the field has a place, and, when `value` is given, that value. */
function instance({ path, steps }: Leaf, value?: unknown): VirtualMachineInstance {
  const spec = structuredClone(BASE) as Json;
  NEEDS[path]?.(spec);
  let at = spec;
  steps.forEach(({ name, schema, item }, index) => {
    const list = steps[index - 1]?.item ? (steps[index - 1]?.name ?? '') : '';
    for (const group of EXCLUSIVE.filter((names) => names.includes(name))) {
      for (const other of group) if (other !== name) delete at[other];
    }
    if (list === 'volumes' && name !== 'name')
      for (const key of Object.keys(at)) if (key !== 'name' && key !== name) delete at[key];
    if (index === steps.length - 1) {
      if (value !== undefined) at[name] = value;
      return;
    }
    if (item) {
      const items = (at[name] ??= [requiredOf(schema, name)]) as Json[];
      at = items[0] as Json;
    } else {
      at[name] ??= requiredOf(schema, list);
      at = at[name] as Json;
    }
  });
  return {
    metadata: { name: 'demo', namespace: 'default', uid: '11111111-2222-3333-4444-555555555555' },
    spec,
  } as unknown as VirtualMachineInstance;
}

/** An image for whatever volume. */
class AnyImage extends Map<string, DiskSource> {
  override get(_volume: string): DiskSource {
    return { file: '/d', format: 'raw', block: true };
  }
}
const OPTIONS: ConversionOptions = {
  accelerator: 'kvm',
  privateDirectory: '/p',
  disks: new AnyImage(),
  interfaces: [{ name: 'n0', tapDevice: 'tap0' }],
  kernelBoot: { kernelPath: '/k' },
  firmwareDirectory: '/f',
};
const CONFIG: ClusterConfig = kubevirtConfig(undefined);

/** The pod and the domain of an instance, or why there is none, as one text. */
function outcome(vmi: VirtualMachineInstance): string {
  const attempt = (make: () => unknown): string => {
    try {
      return String(make());
    } catch (error) {
      return (error as Error).message;
    }
  };
  const pod = attempt(() => JSON.stringify(renderLauncherPod(vmi, CONFIG, { image: 'i', podName: 'p' })));
  const xml = attempt(() => buildDomainXml(convert(vmi, OPTIONS)).replace(/<specHash>.*<\/specHash>/, ''));
  return pod + xml;
}

/** Whether pod or domain are another with the field than without it. */
export function shapesPodOrDomain(leaf: Leaf): boolean {
  const without = outcome(instance(leaf));
  const { schema } = leaf.steps.at(-1) ?? { schema: {} };
  return candidates(schema).some((value) => outcome(instance(leaf, value)) !== without);
}
