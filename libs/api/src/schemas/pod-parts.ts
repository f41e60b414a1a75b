import type { Static } from 'typebox';
import { int32, int64, intOrString, list, marker, object, str, strings } from './build.ts';
import { LabelSelectorSchema } from './meta.ts';

/** The pieces of a pod that a VirtualMachineInstance carries for its launcher pod, with Kubernetes' meaning. */

const NodeSelectorRequirementSchema = object(
  'A node label key, an operator, and the values it is compared with.',
  { values: strings('Values for In, NotIn, Gt and Lt.') },
  {
    key: str('Label (or field) key the requirement is about.'),
    operator: str('In, NotIn, Exists, DoesNotExist, Gt or Lt.'),
  },
);

const NodeSelectorTermSchema = object('Requirements that a node must meet together.', {
  matchExpressions: list('Requirements on the labels of the node.', NodeSelectorRequirementSchema),
  matchFields: list('Requirements on the fields of the node.', NodeSelectorRequirementSchema),
});

const NodeSelectorSchema = object(
  'Node selector terms of which at least one must match.',
  {},
  { nodeSelectorTerms: list('Terms; a node that meets any of them is selected.', NodeSelectorTermSchema) },
);

const NodeAffinitySchema = object('Which nodes are possible or preferred.', {
  requiredDuringSchedulingIgnoredDuringExecution: NodeSelectorSchema,
  preferredDuringSchedulingIgnoredDuringExecution: list(
    'Preferred terms; the weights of the matching ones are added up.',
    object('A preferred term and its weight.', {}, { weight: int32('1 to 100.'), preference: NodeSelectorTermSchema }),
  ),
});

const PodAffinityTermSchema = object(
  'Pods selected by labels, and the topology domain in which to meet or avoid them.',
  {
    labelSelector: LabelSelectorSchema,
    namespaceSelector: LabelSelectorSchema,
    namespaces: strings('Namespaces of the selected pods; this one if empty.'),
    matchLabelKeys: strings('Pod label keys whose values are merged into labelSelector.'),
    mismatchLabelKeys: strings('Pod label keys whose values are merged into labelSelector, negated.'),
  },
  { topologyKey: str('Node label whose value names the topology domain.') },
);

const WeightedPodAffinityTermSchema = object(
  'A preferred pod affinity term and its weight.',
  {},
  { weight: int32('1 to 100.'), podAffinityTerm: PodAffinityTermSchema },
);

const podAffinity = (description: string) =>
  object(description, {
    requiredDuringSchedulingIgnoredDuringExecution: list('Terms that all must hold.', PodAffinityTermSchema),
    preferredDuringSchedulingIgnoredDuringExecution: list('Terms that should hold.', WeightedPodAffinityTermSchema),
  });

export const AffinitySchema = object('Scheduling constraints of the launcher pod.', {
  nodeAffinity: NodeAffinitySchema,
  podAffinity: podAffinity('Pods to be placed together with.'),
  podAntiAffinity: podAffinity('Pods to be kept away from.'),
});
export type Affinity = Static<typeof AffinitySchema>;

export const TolerationSchema = object('A node taint that does not keep the launcher pod away.', {
  key: str('Taint key; empty with operator Exists tolerates everything.'),
  operator: str('Exists or Equal (the default).'),
  value: str('Taint value for Equal.'),
  effect: str('NoSchedule, PreferNoSchedule or NoExecute; all if empty.'),
  tolerationSeconds: int64('How long a NoExecute taint is tolerated; forever if unset.'),
});
export type Toleration = Static<typeof TolerationSchema>;

export const TopologySpreadConstraintSchema = object(
  'How launcher pods are spread over the domains of a topology.',
  {
    labelSelector: LabelSelectorSchema,
    matchLabelKeys: strings('Pod label keys whose values are merged into labelSelector.'),
    minDomains: int32('Fewest domains that must be eligible.'),
    nodeAffinityPolicy: str('Honor or Ignore: whether node affinity counts when domains are counted.'),
    nodeTaintsPolicy: str('Honor or Ignore: whether taints count when domains are counted.'),
  },
  {
    maxSkew: int32('Largest allowed difference of pods between two domains.'),
    topologyKey: str('Node label whose value names the topology domain.'),
    whenUnsatisfiable: str('DoNotSchedule or ScheduleAnyway.'),
  },
);
export type TopologySpreadConstraint = Static<typeof TopologySpreadConstraintSchema>;

export const PodDnsConfigSchema = object('DNS settings merged with those that dnsPolicy gives.', {
  nameservers: strings('IP addresses of name servers, at most 3.'),
  searches: strings('Search domains, at most 6.'),
  options: list('Resolver options.', object('A resolver option.', { name: str('Name.'), value: str('Value.') })),
});
export type PodDnsConfig = Static<typeof PodDnsConfigSchema>;

const HttpGetActionSchema = object(
  'An HTTP GET whose answer decides; 200 to 399 is success.',
  {
    host: str('Host to connect to; the address of the pod if empty.'),
    path: str('Path of the request.'),
    scheme: str('HTTP (the default) or HTTPS.'),
    httpHeaders: list('Headers of the request.', object('A header.', {}, { name: str('Name.'), value: str('Value.') })),
  },
  { port: intOrString('Port number or name, 1 to 65535.') },
);

const TcpSocketActionSchema = object(
  'A TCP connection whose success decides.',
  { host: str('Host to connect to; the address of the pod if empty.') },
  { port: intOrString('Port number or name, 1 to 65535.') },
);

export const ProbeSchema = object('A periodic check of the guest; exactly one of its handlers is set.', {
  exec: object('A command run in the guest by the guest agent; exit code 0 is success.', {
    command: strings('The program and its arguments; no shell is involved.'),
  }),
  guestAgentPing: marker('A ping answered by the guest agent.'),
  httpGet: HttpGetActionSchema,
  tcpSocket: TcpSocketActionSchema,
  initialDelaySeconds: int32('Seconds after the start before the first probe.'),
  timeoutSeconds: int32('Seconds after which a probe has failed; 1 if unset.'),
  periodSeconds: int32('Seconds between probes; 10 if unset.'),
  successThreshold: int32('Successes in a row that make a failed probe good again; 1 if unset.'),
  failureThreshold: int32('Failures in a row that make it bad; 3 if unset.'),
});
export type Probe = Static<typeof ProbeSchema>;
