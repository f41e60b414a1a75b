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
  userData: string | undefined;
  networkData: string | undefined;
}

/** Files of a NoCloud disk by name. */
export type SeedFiles = Readonly<Record<string, string>>;

/** The disk that cloud-init looks for by the label "cidata". */
export function noCloudFiles(
  vmi: VirtualMachineInstance,
  source: CloudInit,
  mounted: MountedData,
  field: string,
): SeedFiles {
  const userData = pick(
    source.userData,
    source.userDataBase64,
    source.secretRef,
    mounted.userData,
    `${field}.secretRef`,
  );
  const network = pick(
    source.networkData,
    source.networkDataBase64,
    source.networkDataSecretRef,
    mounted.networkData,
    `${field}.networkDataSecretRef`,
  );
  const files: Record<string, string> = {
    'meta-data': `${JSON.stringify(metaData(vmi))}\n`,
    // cloud-init wants the file even when there is nothing to say.
    'user-data': userData ?? '#cloud-config\n',
  };
  if (network !== undefined) files['network-config'] = network;
  return files;
}

function metaData(vmi: VirtualMachineInstance): Record<string, string> {
  const { metadata, spec } = vmi;
  return {
    // A new instance id makes cloud-init run its once-per-instance modules again, so it is the machine's own.
    'instance-id': spec.domain.firmware?.uuid || metadata.uid || metadata.name,
    'local-hostname': hostnameOf(vmi),
  };
}

function pick(
  text: string | undefined,
  base64: string | undefined,
  secret: { name?: string } | undefined,
  mounted: string | undefined,
  field: string,
): string | undefined {
  if (text) return text;
  if (base64) return Buffer.from(base64, 'base64').toString('utf8');
  if (!secret?.name) return undefined;
  if (mounted === undefined) throw new CloudInitError(field, `secret "${secret.name}" holds no such data`);
  return mounted;
}
