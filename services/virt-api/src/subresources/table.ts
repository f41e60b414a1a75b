/** A subresource as discovery, OpenAPI, routing and RBAC know it. */
export interface Subresource {
  resource: 'virtualmachines' | 'virtualmachineinstances';
  name: string;
  method: 'GET' | 'PUT';
  /** Kind of what it takes (PUT) or answers (GET). */
  kind: string;
  summary: string;
  /** Properties of the optional body. */
  body?: Readonly<Record<string, object>>;
}

const dryRun = { type: 'array', items: { type: 'string' }, description: '"All": check everything, change nothing.' };
const seconds = { type: 'integer', format: 'int64' };

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
] as const satisfies readonly Subresource[];

export type SubresourceKey = (typeof SUBRESOURCES)[number] extends infer S
  ? S extends { resource: infer R extends string; name: infer N extends string }
    ? `${R}/${N}`
    : never
  : never;

export const GROUP = 'subresources.kubevirt.io';
export const VERSIONS = ['v1', 'v1alpha3'] as const;
