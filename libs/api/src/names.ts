/** The API group and what of it is served. */
export const GROUP = 'kubevirt.io';
export const VERSION = 'v1';
export const API_VERSION = 'kubevirt.io/v1';
export const SUBRESOURCES_GROUP = 'subresources.kubevirt.io';

interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const resource = (kind: string, plural: string): ResourceName => ({
  group: GROUP,
  version: VERSION,
  plural,
  kind,
  namespaced: true,
});

export const VIRTUAL_MACHINES = resource('VirtualMachine', 'virtualmachines');
export const VIRTUAL_MACHINE_INSTANCES = resource('VirtualMachineInstance', 'virtualmachineinstances');
export const VIRTUAL_MACHINE_INSTANCE_MIGRATIONS = resource(
  'VirtualMachineInstanceMigration',
  'virtualmachineinstancemigrations',
);
export const KUBEVIRTS = resource('KubeVirt', 'kubevirts');

export const DEFAULT_INSTALL_NAMESPACE = 'yagura';
/** Name of the KubeVirt object in the install namespace. */
export const KUBEVIRT_OBJECT_NAME = 'kubevirt';

export const COMPONENTS = {
  api: 'virt-api',
  controller: 'virt-controller',
  handler: 'virt-handler',
  launcher: 'virt-launcher',
} as const;

/** Service accounts of the product, in the install namespace; the webhooks let them write what users may not. */
export const SERVICE_ACCOUNTS = {
  api: 'kubevirt-apiserver',
  controller: 'kubevirt-controller',
  handler: 'kubevirt-handler',
} as const;

/** User names of the product's service accounts, as the API server tells them to a webhook. */
export function productUsers(installNamespace: string): string[] {
  return Object.values(SERVICE_ACCOUNTS).map((name) => serviceAccountUser(installNamespace, name));
}

export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Device plugin resources, requested as limits of launcher containers. */
export const DEVICES = {
  kvm: 'devices.kubevirt.io/kvm',
  tun: 'devices.kubevirt.io/tun',
  vhostNet: 'devices.kubevirt.io/vhost-net',
  containerDisk: 'devices.kubevirt.io/container-disk',
} as const;

/** User and group that QEMU, libvirt and the launcher run as. */
export const LAUNCHER_UID = 107;
export const COMPUTE_CONTAINER = 'compute';
/** Name of the libvirt domain in a launcher; unique in a cluster. */
export function domainNameOf(namespace: string, name: string): string {
  return `${namespace}_${name}`;
}
