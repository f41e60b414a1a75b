import type { Static } from 'typebox';
import type { ObjectMeta } from '../kubernetes.ts';
import { IMAGE_PULL_POLICIES } from '../words.ts';
import { int32, int64, list, object, objectMeta, oneOf, str, stringMap, strings } from './build.ts';
import { KubeVirtConfigurationSchema } from './kubevirt-configuration.ts';
import { ConditionSchema, LocalObjectReferenceSchema } from './meta.ts';
import { AffinitySchema, TolerationSchema } from './pod-parts.ts';
import { typeMeta } from './vmi.ts';

const componentConfig = (what: string) =>
  object(`Placement of ${what}.`, {
    replicas: int32('Replicas; ignored for what runs on every node.'),
    nodePlacement: object('Where pods may run.', {
      affinity: AffinitySchema,
      nodeSelector: stringMap('Labels that the node must have.'),
      tolerations: list('Node taints that are tolerated.', TolerationSchema),
    }),
  });

const lifetime = (what: string) =>
  object(`Lifetime of ${what}.`, {
    duration: str('How long it is valid, such as 24h.'),
    renewBefore: str('How long before its end it is replaced.'),
  });

const CertificateRotateStrategySchema = object('How long the certificates of the product live.', {
  selfSigned: object('Certificates by a CA of the product.', {
    ca: lifetime('the CA'),
    server: lifetime('certificates'),
    caRotateInterval: str('Deprecated; use ca.duration.'),
    caOverlapInterval: str('Deprecated; use ca.renewBefore.'),
    certRotateInterval: str('Deprecated; use server.duration.'),
  }),
});

const flags = (component: string) => stringMap(`Command line flags of ${component}.`);

const CustomizeComponentsSchema = object('Changes to the objects of the installation.', {
  patches: list(
    'Patches.',
    object(
      'A patch of one object.',
      {},
      {
        resourceType: str('Kind.'),
        resourceName: str('Name.'),
        patch: str('The patch.'),
        type: str('json, merge or strategic.'),
      },
    ),
  ),
  flags: object('Flags of components.', {
    api: flags('virt-api'),
    controller: flags('virt-controller'),
    handler: flags('virt-handler'),
  }),
});

export const KubeVirtSpecSchema = object('How the product is configured.', {
  certificateRotateStrategy: CertificateRotateStrategySchema,
  configuration: KubeVirtConfigurationSchema,
  customizeComponents: CustomizeComponentsSchema,
  imagePullPolicy: oneOf('When images of the product are pulled.', IMAGE_PULL_POLICIES),
  imagePullSecrets: list('Secrets with the credentials of the registry.', LocalObjectReferenceSchema),
  imageRegistry: str('Registry of the images of the product.'),
  imageTag: str('Tag of the images of the product.'),
  infra: componentConfig('virt-api and virt-controller'),
  workloads: componentConfig('virt-handler and guests'),
  monitorAccount: str('Service account that may read metrics.'),
  monitorNamespace: str('Namespace of the monitoring system.'),
  serviceMonitorNamespace: str('Namespace for ServiceMonitors.'),
  productName: str('Name told in labels.'),
  productVersion: str('Version told in labels.'),
  productComponent: str('Component told in labels.'),
  synchronizationPort: str('Port of the synchronization controller.'),
  uninstallStrategy: oneOf('What removing this object does while guests run.', [
    'RemoveWorkloads',
    'BlockUninstallIfWorkloadsExist',
  ]),
  workloadUpdateStrategy: object('How running guests get a new launcher.', {
    workloadUpdateMethods: strings('LiveMigrate and Evict, in the order of preference.'),
    batchEvictionSize: int32('Guests handled at once; 10 if unset.'),
    batchEvictionInterval: str('Time between batches, such as 1m.'),
  }),
});
export type KubeVirtSpec = Static<typeof KubeVirtSpecSchema>;

export const KUBEVIRT_PHASES = ['Deploying', 'Deployed', 'Deleting', 'Deleted'] as const;

const KubeVirtStatusSchema = object('How the installation stands.', {
  phase: oneOf('Where the installation stands.', KUBEVIRT_PHASES),
  conditions: list('Conditions.', ConditionSchema),
  generations: list(
    'Generations of the objects of the installation.',
    object(
      'A generation of one object.',
      { namespace: str('Namespace.'), hash: str('Hash of the content.') },
      {
        group: str('Group.'),
        resource: str('Resource.'),
        name: str('Name.'),
        lastGeneration: int64('Generation that was last seen.'),
      },
    ),
  ),
  observedDeploymentConfig: str('Configuration of what is installed.'),
  observedDeploymentID: str('ID of what is installed.'),
  targetDeploymentConfig: str('Configuration of what is being installed.'),
  targetDeploymentID: str('ID of what is being installed.'),
  observedGeneration: int64('Generation that was last acted upon.'),
  operatorVersion: str('Version of what installs the product.'),
  observedKubeVirtVersion: str('Version that is installed.'),
  targetKubeVirtVersion: str('Version that is being installed.'),
  observedKubeVirtRegistry: str('Registry of the installed images.'),
  targetKubeVirtRegistry: str('Registry of the images being installed.'),
  outdatedVirtualMachineInstanceWorkloads: int32('Guests with a launcher older than the installed one.'),
  defaultArchitecture: str('Architecture of guests that name none.'),
  synchronizationAddresses: strings('Addresses of the synchronization controller.'),
});

export const KubeVirtSchema = object(
  'The installation and its cluster-wide settings.',
  { ...typeMeta, status: KubeVirtStatusSchema },
  { metadata: objectMeta<ObjectMeta>(), spec: KubeVirtSpecSchema },
);
export type KubeVirt = Static<typeof KubeVirtSchema>;
export type KubeVirtStatus = Static<typeof KubeVirtStatusSchema>;
