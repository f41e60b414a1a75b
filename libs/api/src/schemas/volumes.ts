import type { Static } from 'typebox';
import { IMAGE_PULL_POLICIES } from '../words.ts';
import { bool, doc, list, object, oneOf, quantity, str, strings } from './build.ts';
import { LocalObjectReferenceSchema } from './meta.ts';

const claim = {
  optional: { readOnly: bool('Mounts the claim read-only.') },
  required: { claimName: str('Name of a PersistentVolumeClaim in the namespace of the VirtualMachineInstance.') },
};

const cloudInit = (description: string) =>
  object(description, {
    secretRef: doc('Secret with the user data under the key userdata.', LocalObjectReferenceSchema),
    userData: str('User data as plain text, at most 2048 bytes.'),
    userDataBase64: str('User data in base64, at most 2048 bytes.'),
    networkDataSecretRef: doc('Secret with the network data under the key networkdata.', LocalObjectReferenceSchema),
    networkData: str('Network data as plain text, at most 2048 bytes.'),
    networkDataBase64: str('Network data in base64, at most 2048 bytes.'),
  });

export const CloudInitSchema = cloudInit('Data for cloud-init.');
export type CloudInitSource = Static<typeof CloudInitSchema>;

export const ContainerDiskSchema = object(
  'A disk image that is shipped in an OCI image, below /disk; the guest writes to an overlay that is gone with it.',
  {
    imagePullPolicy: oneOf('When the image is pulled.', IMAGE_PULL_POLICIES),
    imagePullSecret: str('Name of the secret with the credentials of the registry.'),
    path: str('Absolute path of the disk image inside the OCI image, if it is not the only file in /disk.'),
  },
  { image: str('The OCI image.') },
);
export type ContainerDiskSource = Static<typeof ContainerDiskSchema>;

const labelled = { volumeLabel: str('Label of the volume in the guest; cfgdata if empty.') };

const VolumeSources = {
  cloudInitConfigDrive: cloudInit('Data for cloud-init, on a disk in the ConfigDrive format.'),
  cloudInitNoCloud: cloudInit('Data for cloud-init, on a disk in the NoCloud format.'),
  configMap: object('A ConfigMap as a disk: a file per key.', {
    name: str('Name of the ConfigMap.'),
    optional: bool('Whether the ConfigMap may be missing.'),
    ...labelled,
  }),
  containerDisk: ContainerDiskSchema,
  containerPath: object(
    'A directory of the launcher container, shared with the guest by virtiofs.',
    { readOnly: bool('Shares it read-only.') },
    { path: str('Absolute path in the launcher container.') },
  ),
  dataVolume: object(
    'A DataVolume of CDI: a claim that is filled before the guest starts.',
    { hotpluggable: bool('Whether it may be attached and detached while the guest runs.') },
    { name: str('Name of the DataVolume and of its claim.') },
  ),
  downwardAPI: object('Fields of the pod as a disk: a file per field.', {
    fields: list(
      'The files.',
      object(
        'A file and the field that is its content.',
        {
          fieldRef: object(
            'Selects a field of the pod.',
            { apiVersion: str('API version of the field path; v1 if unset.') },
            { fieldPath: str('Path of the field.') },
          ),
        },
        { path: str('Relative path of the file.') },
      ),
    ),
    ...labelled,
  }),
  downwardMetrics: object('Metrics of host and guest as a disk the guest can read.', {}),
  emptyDisk: object(
    'A blank disk that lives as long as the VirtualMachineInstance.',
    {},
    {
      capacity: quantity('Size of the disk as the guest sees it.'),
    },
  ),
  ephemeral: object('A claim used read-only below an overlay that is gone with the VirtualMachineInstance.', {
    persistentVolumeClaim: object('The claim.', claim.optional, claim.required),
  }),
  hostDisk: object(
    'A disk image on the node.',
    {
      capacity: quantity('Size of the image when it is created.'),
      shared: bool('Whether several guests may use it at once.'),
    },
    {
      path: str('Absolute path of the image on the node.'),
      type: oneOf('Whether the image must exist.', ['Disk', 'DiskOrCreate']),
    },
  ),
  memoryDump: object(
    'A claim that receives the memory of the guest.',
    { readOnly: claim.optional.readOnly, hotpluggable: bool('Set by the API that requests the dump.') },
    claim.required,
  ),
  persistentVolumeClaim: object(
    'A claim as a disk: a block device, or the file disk.img on its filesystem.',
    { ...claim.optional, hotpluggable: bool('Whether it may be attached and detached while the guest runs.') },
    claim.required,
  ),
  secret: object('A Secret as a disk: a file per key.', {
    secretName: str('Name of the Secret.'),
    optional: bool('Whether the Secret may be missing.'),
    ...labelled,
  }),
  serviceAccount: object('The credentials of a service account as a disk.', {
    serviceAccountName: str('Name of the service account.'),
  }),
  sysprep: object('Answer files for the setup of Windows, on a CD-ROM.', {
    secret: LocalObjectReferenceSchema,
    configMap: LocalObjectReferenceSchema,
  }),
};

export const VolumeSchema = object('A named source of storage; exactly one source is set.', VolumeSources, {
  name: str('Name of the volume, a DNS label, unique in the list; disks and filesystems refer to it.'),
});
export type Volume = Static<typeof VolumeSchema>;

export const HotplugVolumeSourceSchema = object('The source of a volume that is attached to a running guest.', {
  persistentVolumeClaim: VolumeSources.persistentVolumeClaim,
  dataVolume: VolumeSources.dataVolume,
});

export const UtilityVolumeSchema = object(
  'A claim attached to the launcher pod for a task, and never shown to the guest.',
  { ...claim.optional, type: str('Task the volume is for, such as MemoryDump or Backup.') },
  { ...claim.required, name: str('Name of the volume.') },
);

const SecretSourceSchema = object('Where the credential comes from.', {
  secret: object('A secret with one credential per key.', {}, { secretName: str('Name of the Secret.') }),
});

export const AccessCredentialSchema = object('A credential put into the guest; exactly one kind is set.', {
  sshPublicKey: object(
    'SSH public keys.',
    {},
    {
      source: SecretSourceSchema,
      propagationMethod: object('How the keys get into the guest; exactly one way is set.', {
        configDrive: object('By cloud-init, from the ConfigDrive disk.', {}),
        noCloud: object('By cloud-init, from the NoCloud disk.', {}),
        qemuGuestAgent: object(
          'By the guest agent, also while the guest runs.',
          {},
          {
            users: strings('Users whose authorized keys are written.'),
          },
        ),
      }),
    },
  ),
  userPassword: object(
    'User passwords; each key of the secret is a user.',
    {},
    {
      source: SecretSourceSchema,
      propagationMethod: object('How the passwords get into the guest.', {
        qemuGuestAgent: object('By the guest agent.', {}),
      }),
    },
  ),
});
export type AccessCredential = Static<typeof AccessCredentialSchema>;
