import { hostnameOf, type VirtualMachineInstance } from '@yagura/api';

export type Volume = NonNullable<VirtualMachineInstance['spec']['volumes']>[number];
export type CloudInit = NonNullable<Volume['cloudInitNoCloud']>;

/** The instance cannot be given its cloud-init data; `field` is relative to the instance. */
export class CloudInitError extends Error {
  override name = 'CloudInitError';
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
  }
}

/** Contents of the secrets that the volume refers to, as mounted; undefined where none is mounted. */
export interface MountedData {
  userData: Buffer | undefined;
  networkData: Buffer | undefined;
  /** SSH keys of the access credentials that go this way. */
  publicKeys?: readonly string[];
}

/** Files of a CD by path; data that is no text, such as a compressed archive, stays as it is. */
export type SeedFiles = Readonly<Record<string, string | Buffer>>;

/** cloud-init wants user data even when there is nothing to say. */
const NO_USER_DATA = '#cloud-config\n';

/** The disk that cloud-init looks for by the label "cidata". */
export function noCloudFiles(
  vmi: VirtualMachineInstance,
  source: CloudInit,
  mounted: MountedData,
  field: string,
): SeedFiles {
  const { metadata, spec } = vmi;
  const network = networkData(source, mounted, field);
  return {
    'meta-data': json({
      // A new instance id makes cloud-init run its once-per-instance modules again, so it is the machine's own.
      'instance-id': spec.domain.firmware?.uuid || metadata.uid || metadata.name,
      'local-hostname': hostnameOf(vmi),
      ...publicKeys('public-keys', mounted),
    }),
    'user-data': userData(source, mounted, field) ?? NO_USER_DATA,
    ...(network === undefined ? {} : { 'network-config': network }),
  };
}

/** The disk in OpenStack's format, which is looked for by the label "config-2". */
export function configDriveFiles(
  vmi: VirtualMachineInstance,
  source: CloudInit,
  mounted: MountedData,
  field: string,
): SeedFiles {
  const { metadata, spec } = vmi;
  const network = networkData(source, mounted, field);
  return {
    'openstack/latest/meta_data.json': json({
      instance_id: `${metadata.name}.${metadata.namespace}`,
      uuid: spec.domain.firmware?.uuid || metadata.uid,
      hostname: hostnameOf(vmi),
      local_hostname: hostnameOf(vmi),
      ...publicKeys('public_keys', mounted),
    }),
    'openstack/latest/user_data': userData(source, mounted, field) ?? NO_USER_DATA,
    ...(network === undefined ? {} : { 'openstack/latest/network_data.json': network }),
  };
}

/** Keys by a name of their own, as both formats have them. */
function publicKeys(name: string, { publicKeys: keys }: MountedData): Record<string, Record<string, string>> {
  if (!keys?.length) return {};
  return { [name]: Object.fromEntries(keys.map((key, index) => [`key-${index}`, key])) };
}

function json(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function userData(source: CloudInit, mounted: MountedData, field: string): string | Buffer | undefined {
  const { userData: text, userDataBase64: base64, secretRef } = source;
  return pick(text, base64, secretRef, mounted.userData, `${field}.secretRef`);
}

function networkData(source: CloudInit, mounted: MountedData, field: string): string | Buffer | undefined {
  const { networkData: text, networkDataBase64: base64, networkDataSecretRef } = source;
  return pick(text, base64, networkDataSecretRef, mounted.networkData, `${field}.networkDataSecretRef`);
}

function pick(
  text: string | undefined,
  base64: string | undefined,
  secret: { name?: string } | undefined,
  mounted: Buffer | undefined,
  field: string,
): string | Buffer | undefined {
  if (text) return text;
  if (base64) return Buffer.from(base64, 'base64');
  if (!secret?.name) return undefined;
  if (mounted === undefined) throw new CloudInitError(field, `secret "${secret.name}" holds no such data`);
  return mounted;
}
