/** A subresource as discovery, OpenAPI, routing and RBAC know it. */
export interface Subresource {
  resource: 'virtualmachines' | 'virtualmachineinstances';
  /** One part of the path or several, as `pause` and `vnc/screenshot`. */
  name: string;
  method: 'GET' | 'PUT';
  /** A websocket of the subprotocol plain.kubevirt.io. */
  stream?: true;
  /** What may follow the name in the path, each after the one before; the first has to. */
  parts?: readonly string[];
  /** What it takes in the query, by name. */
  query?: Readonly<Record<string, { type: string; description: string }>>;
  /** Content type of what it answers, JSON unless it is named. */
  produces?: string;
  /** Kind of what it takes (PUT) or answers (GET). */
  kind: string;
  summary: string;
  /** Properties of the optional body. */
  body?: Readonly<Record<string, object>>;
}

const dryRun = { type: 'array', items: { type: 'string' }, description: '"All": check everything, change nothing.' };
const seconds = { type: 'integer', format: 'int64' };

const addVolumeBody = {
  name: { type: 'string', description: 'Name of the disk and of the volume behind it.' },
  disk: { type: 'object', description: 'The disk as the guest sees it; its bus is scsi unless it is virtio.' },
  volumeSource: { type: 'object', description: 'Exactly one of persistentVolumeClaim and dataVolume.' },
  dryRun,
};
const removeVolumeBody = { name: { type: 'string', description: 'Name of the volume.' }, dryRun };

/** Every subresource there is: what is not here does not exist. */
export const SUBRESOURCES = [
  {
    resource: 'virtualmachines',
    name: 'start',
    method: 'PUT',
    kind: 'StartOptions',
    summary: 'Start a virtual machine.',
    body: { paused: { type: 'boolean', description: 'Start with the vCPUs stopped.' }, dryRun },
  },
  {
    resource: 'virtualmachines',
    name: 'stop',
    method: 'PUT',
    kind: 'StopOptions',
    summary: 'Stop a virtual machine.',
    body: {
      gracePeriod: { ...seconds, description: 'Seconds the guest gets to shut down, if less than its own.' },
      dryRun,
    },
  },
  {
    resource: 'virtualmachines',
    name: 'restart',
    method: 'PUT',
    kind: 'RestartOptions',
    summary: 'Restart a virtual machine.',
    body: {
      gracePeriodSeconds: { ...seconds, description: '0 forces the restart; no other value is allowed.' },
      dryRun,
    },
  },
  {
    resource: 'virtualmachines',
    name: 'addvolume',
    method: 'PUT',
    kind: 'AddVolumeOptions',
    summary: 'Plug a volume into the machine, and into its guest while that runs.',
    body: addVolumeBody,
  },
  {
    resource: 'virtualmachines',
    name: 'removevolume',
    method: 'PUT',
    kind: 'RemoveVolumeOptions',
    summary: 'Take a plugged volume out of the machine, and out of its guest while that runs.',
    body: removeVolumeBody,
  },
  {
    resource: 'virtualmachineinstances',
    name: 'addvolume',
    method: 'PUT',
    kind: 'AddVolumeOptions',
    summary: 'Plug a volume into a running guest, until it ends.',
    body: addVolumeBody,
  },
  {
    resource: 'virtualmachineinstances',
    name: 'removevolume',
    method: 'PUT',
    kind: 'RemoveVolumeOptions',
    summary: 'Take a plugged volume out of a running guest.',
    body: removeVolumeBody,
  },
  {
    resource: 'virtualmachineinstances',
    name: 'pause',
    method: 'PUT',
    kind: 'PauseOptions',
    summary: 'Stop the vCPUs of a running guest.',
    body: { dryRun },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'unpause',
    method: 'PUT',
    kind: 'UnpauseOptions',
    summary: 'Let a paused guest run again.',
    body: { dryRun },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'softreboot',
    method: 'PUT',
    kind: 'SoftRebootOptions',
    summary: 'Ask the guest to reboot, through its agent or by the ACPI power button.',
    body: { dryRun },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'reset',
    method: 'PUT',
    kind: 'ResetOptions',
    summary: 'Reset the machine as its reset button does.',
    body: { dryRun },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'freeze',
    method: 'PUT',
    kind: 'FreezeUnfreezeTimeout',
    summary: 'Freeze the file systems of the guest through its agent.',
    body: {
      unfreezeTimeout: {
        type: 'string',
        description: 'Until they are thawed again, as "5m", the default; "0": never.',
      },
      dryRun,
    },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'unfreeze',
    method: 'PUT',
    kind: 'UnfreezeOptions',
    summary: 'Thaw the file systems of the guest.',
    body: { dryRun },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'console',
    method: 'GET',
    kind: 'VirtualMachineInstance',
    summary: 'The serial console. A second client takes it over.',
    stream: true,
  },
  {
    resource: 'virtualmachineinstances',
    name: 'vnc/screenshot',
    method: 'GET',
    kind: 'VirtualMachineInstance',
    summary: 'The screen as a picture.',
    produces: 'image/png',
    query: {
      moveCursor: { type: 'boolean', description: "The guest's pointer is moved before, which wakes its screen." },
    },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'vnc',
    method: 'GET',
    kind: 'VirtualMachineInstance',
    summary: 'The screen as VNC (RFB). A second client takes it over.',
    stream: true,
    query: {
      preserveSession: { type: 'boolean', description: 'Refused with 503 instead while a client is connected.' },
    },
  },
  {
    resource: 'virtualmachineinstances',
    name: 'portforward',
    method: 'GET',
    kind: 'VirtualMachineInstance',
    summary: 'A connection to a port of the guest.',
    stream: true,
    parts: ['port', 'protocol'],
  },
  {
    resource: 'virtualmachines',
    name: 'portforward',
    method: 'GET',
    kind: 'VirtualMachine',
    summary: 'A connection to a port of the guest.',
    stream: true,
    parts: ['port', 'protocol'],
  },
  {
    resource: 'virtualmachines',
    name: 'expand-spec',
    method: 'GET',
    kind: 'VirtualMachine',
    summary: 'The virtual machine as it would run, its instance type and preference worked in.',
  },
  {
    resource: 'virtualmachineinstances',
    name: 'guestosinfo',
    method: 'GET',
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    summary: 'What the guest agent says of its system, with at most ten users and file systems.',
  },
  {
    resource: 'virtualmachineinstances',
    name: 'userlist',
    method: 'GET',
    kind: 'VirtualMachineInstanceGuestOSUserList',
    summary: 'Users logged in to the guest.',
  },
  {
    resource: 'virtualmachineinstances',
    name: 'filesystemlist',
    method: 'GET',
    kind: 'VirtualMachineInstanceFileSystemList',
    summary: 'Mounted file systems of the guest.',
  },
  {
    resource: 'virtualmachineinstances',
    name: 'layers',
    method: 'GET',
    kind: 'LayersReport',
    summary: 'What every layer says about the virtual machine, with source, age and freshness.',
  },
  {
    resource: 'virtualmachineinstances',
    name: 'timeline',
    method: 'GET',
    kind: 'Timeline',
    summary: 'What has changed about the virtual machine and what happened to it, also when it is gone.',
    query: {
      uid: { type: 'string', description: 'Of the run; the newest unless it is named.' },
      runs: { type: 'boolean', description: 'All nodes are asked which runs of that name they remember.' },
    },
  },
] as const satisfies readonly Subresource[];

/** What is asked of the group itself, with no name of an object. Those without a namespace are open to whoever may reach them. */
export const GROUP_CALLS = [
  {
    name: 'expand-vm-spec',
    namespaced: true,
    method: 'PUT',
    kind: 'VirtualMachine',
    summary: 'A virtual machine that is sent, and need not exist, as it would run.',
  },
  { name: 'version', namespaced: false, method: 'GET', kind: '', summary: 'Version of the product.' },
  {
    name: 'guestfs',
    namespaced: false,
    method: 'GET',
    kind: '',
    summary: 'Image of the libguestfs tools; there is none.',
  },
  { name: 'healthz', namespaced: false, method: 'GET', kind: '', summary: 'Whether the API server answers.' },
] as const;

/** The path of a call of the group below `/apis/GROUP/VERSION`. */
export function groupPathOf({ name, namespaced }: (typeof GROUP_CALLS)[number]): string {
  return namespaced ? `namespaces/:namespace/${name}` : name;
}

/** Code of success. What only asks a controller to act is 202: a machine's changes, and volumes wherever they are plugged. */
export function successOf({ resource, name, method, stream }: Subresource): 101 | 200 | 202 {
  if (stream) return 101;
  const accepted = resource === 'virtualmachines' || name === 'addvolume' || name === 'removevolume';
  return method === 'PUT' && accepted ? 202 : 200;
}

export type SubresourceKey = (typeof SUBRESOURCES)[number] extends infer S
  ? S extends { resource: infer R extends string; name: infer N extends string }
    ? `${R}/${N}`
    : never
  : never;

/** The paths of a subresource below `/apis/GROUP/VERSION`, with `:names` for what varies. */
export function pathsOf({ resource, name, parts = [] }: Subresource): string[] {
  const base = `namespaces/:namespace/${resource}/:name/${name}`;
  if (parts.length === 0) return [base];
  return parts.map((_, index) => [base, ...parts.slice(0, index + 1).map((part) => `:${part}`)].join('/'));
}

export const GROUP = 'subresources.kubevirt.io';
export const VERSIONS = ['v1', 'v1alpha3'] as const;
