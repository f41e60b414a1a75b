import type { Static } from 'typebox';
import { DNS_POLICIES, EVICTION_STRATEGIES } from '../words.ts';
import { int64, list, object, oneOf, str, stringMap } from './build.ts';
import { DomainSchema } from './domain.ts';
import { NetworkSchema } from './networks.ts';
import {
  AffinitySchema,
  PodDnsConfigSchema,
  ProbeSchema,
  TolerationSchema,
  TopologySpreadConstraintSchema,
} from './pod-parts.ts';
import { AccessCredentialSchema, UtilityVolumeSchema, VolumeSchema } from './volumes.ts';

export type EvictionStrategy = (typeof EVICTION_STRATEGIES)[number];

export const VirtualMachineInstanceSpecSchema = object(
  'What one run of a virtual machine should be.',
  {
    priorityClassName: str('Priority class of the launcher pod.'),
    nodeSelector: stringMap('Labels that the node must have.'),
    affinity: AffinitySchema,
    schedulerName: str('Scheduler that places the launcher pod.'),
    serviceAccountName: str('Service account of the launcher pod.'),
    tolerations: list('Node taints that do not keep the launcher pod away.', TolerationSchema),
    topologySpreadConstraints: list(
      'How launcher pods are spread over the domains of a topology.',
      TopologySpreadConstraintSchema,
    ),
    evictionStrategy: oneOf(
      'What happens when the node is drained; the cluster setting if unset.',
      EVICTION_STRATEGIES,
    ),
    startStrategy: oneOf('Paused starts the guest paused.', ['Paused']),
    terminationGracePeriodSeconds: int64(
      'Seconds the guest has to shut down before it is powered off; 30 if unset, 0 powers it off at once.',
    ),
    volumes: list('Storage that disks and filesystems refer to by name.', VolumeSchema, { maxItems: 256 }),
    livenessProbe: ProbeSchema,
    readinessProbe: ProbeSchema,
    hostname: str('Host name of the guest, a DNS label; the name of the object if unset.'),
    subdomain: str('Subdomain: the guest is then hostname.subdomain.namespace.svc.'),
    networks: list('Networks that interfaces refer to by name.', NetworkSchema, { maxItems: 256 }),
    dnsPolicy: oneOf('Where the DNS settings of the pod come from.', DNS_POLICIES),
    dnsConfig: PodDnsConfigSchema,
    accessCredentials: list('Credentials put into the guest.', AccessCredentialSchema, { maxItems: 256 }),
    architecture: str('CPU architecture of the guest: amd64, arm64 or s390x.'),
    resourceClaims: list(
      'Claims of dynamic resource allocation that devices refer to.',
      object(
        'A resource claim of the pod.',
        {
          resourceClaimName: str('Name of a ResourceClaim.'),
          resourceClaimTemplateName: str('Name of a ResourceClaimTemplate.'),
        },
        { name: str('Name that devices refer to.') },
      ),
    ),
    utilityVolumes: list('Claims attached to the launcher pod and not shown to the guest.', UtilityVolumeSchema),
  },
  { domain: DomainSchema },
);
export type VirtualMachineInstanceSpec = Static<typeof VirtualMachineInstanceSpecSchema>;
