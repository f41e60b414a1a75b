import { causes } from './testing/causes.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const toleration = (of: object) => ({ tolerations: [of] });
const spread = (of: object) => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...of }],
});
const node = (requirement: object) => ({
  affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } } },
});
const pods = (term: object) => ({ affinity: { podAffinity: { [REQUIRED]: [{ topologyKey: 'zone', ...term }] } } });
const T = 'spec.tolerations[0]';
const S = 'spec.topologySpreadConstraints[0]';
const N = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
const P = `spec.affinity.podAffinity.${REQUIRED}[0]`;

test.each<[string, object, string]>([
  ['a node label that is none', { nodeSelector: { 'a b': 'c' } }, 'Invalid spec.nodeSelector[a b]'],
  ['a node label with a value that is none', { nodeSelector: { a: 'b c' } }, 'Invalid spec.nodeSelector[a]'],
  ['a priority class that is none', { priorityClassName: 'A_b' }, 'Invalid spec.priorityClassName'],
  ['a scheduler that is none', { schedulerName: 'A b' }, 'Invalid spec.schedulerName'],
  ['a toleration by another operator', toleration({ key: 'a', operator: 'In' }), `NotSupported ${T}.operator`],
  ['a toleration of another effect', toleration({ key: 'a', effect: 'Run' }), `NotSupported ${T}.effect`],
  ['a toleration without a key', toleration({ value: 'b' }), `Invalid ${T}.operator`],
  ['a toleration of a key that is none', toleration({ key: 'a b' }), `Invalid ${T}.key`],
  [
    'a toleration of a value that must not be',
    toleration({ key: 'a', operator: 'Exists', value: 'b' }),
    `Invalid ${T}.value`,
  ],
  ['a toleration of a value that is none', toleration({ key: 'a', value: 'b c' }), `Invalid ${T}.value`],
  [
    'seconds for another effect',
    toleration({ key: 'a', operator: 'Exists', tolerationSeconds: 1 }),
    `Invalid ${T}.effect`,
  ],
  ['no skew', spread({ maxSkew: 0 }), `Invalid ${S}.maxSkew`],
  ['a topology that is none', spread({ topologyKey: '' }), `Invalid ${S}.topologyKey`],
  ['no word about the unsatisfiable', spread({ whenUnsatisfiable: '' }), `Required ${S}.whenUnsatisfiable`],
  ['another word about the unsatisfiable', spread({ whenUnsatisfiable: 'Cry' }), `NotSupported ${S}.whenUnsatisfiable`],
  ['no domains', spread({ minDomains: 0 }), `Invalid ${S}.minDomains`],
  [
    'domains that do not count',
    spread({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
    `Invalid ${S}.minDomains`,
  ],
  ['a policy that is none', spread({ nodeTaintsPolicy: 'x' }), `NotSupported ${S}.nodeTaintsPolicy`],
  [
    'the same spread twice',
    { topologySpreadConstraints: [...spread({}).topologySpreadConstraints, ...spread({}).topologySpreadConstraints] },
    'Duplicate spec.topologySpreadConstraints[1]',
  ],
  [
    'terms that no node meets',
    { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [] } } } },
    `Required ${N}`,
  ],
  [
    'an operator that is none',
    node({ key: 'a', operator: 'Like', values: ['b'] }),
    `NotSupported ${N}[0].matchExpressions[0].operator`,
  ],
  ['a key that is none', node({ key: '', operator: 'Exists' }), `Invalid ${N}[0].matchExpressions[0].key`],
  ['no values to be in', node({ key: 'a', operator: 'In' }), `Required ${N}[0].matchExpressions[0].values`],
  [
    'values to exist',
    node({ key: 'a', operator: 'Exists', values: ['b'] }),
    `Invalid ${N}[0].matchExpressions[0].values`,
  ],
  [
    'text to be greater than',
    node({ key: 'a', operator: 'Gt', values: ['b'] }),
    `Invalid ${N}[0].matchExpressions[0].values`,
  ],
  [
    'a field that nodes do not have',
    {
      affinity: {
        nodeAffinity: {
          [REQUIRED]: { nodeSelectorTerms: [{ matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }] },
        },
      },
    },
    `Invalid ${N}[0].matchFields[0].key`,
  ],
  [
    'a weight beyond 100',
    { affinity: { podAntiAffinity: { [PREFERRED]: [{ weight: 101, podAffinityTerm: { topologyKey: 'zone' } }] } } },
    `Invalid spec.affinity.podAntiAffinity.${PREFERRED}[0].weight`,
  ],
  ['pods of no topology', pods({ topologyKey: '' }), `Invalid ${P}.topologyKey`],
  [
    'pods of a label that is none',
    pods({ labelSelector: { matchLabels: { 'a b': 'c' } } }),
    `Invalid ${P}.labelSelector.matchLabels[a b]`,
  ],
  [
    'pods by an operator for nodes',
    pods({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } }),
    `NotSupported ${P}.labelSelector.matchExpressions[0].operator`,
  ],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test('all that Kubernetes takes is accepted', () => {
  expect(
    causes({
      nodeSelector: { 'example.com/disk': 'ssd', empty: '' },
      tolerations: [
        { operator: 'Exists' },
        { key: 'a', effect: 'NoExecute', operator: 'Exists', tolerationSeconds: 3 },
      ],
      ...spread({ minDomains: 2, nodeTaintsPolicy: 'Honor' }),
      ...node({ key: 'example.com/n', operator: 'Gt', values: ['3'] }),
    }),
  ).toEqual([]);
});
