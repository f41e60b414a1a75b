import type { Action, Claim, Volume } from './plan.ts';
import { planStorage, renderVolume, storageBytes } from './plan.ts';

const classes = new Map([
  ['local', 'yagura.dev/local'],
  ['shared', 'yagura.dev/shared'],
  ['other', 'example.com/other'],
]);
const claim = (spec: Partial<Claim['spec']>, metadata: Partial<Claim['metadata']> = {}): Claim => ({
  metadata: { name: 'c', namespace: 'ns', uid: '1', ...metadata },
  spec: {
    storageClassName: 'local',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...spec,
  },
});
const selected = { annotations: { 'volume.kubernetes.io/selected-node': 'node-b' } };
const volume = (
  phase: string,
  annotations: Record<string, string> = { 'pv.kubernetes.io/provisioned-by': 'yagura.dev/local' },
): Volume => ({
  metadata: { name: 'pvc-1', annotations },
  spec: { local: { path: '/p' }, volumeMode: 'Block', persistentVolumeReclaimPolicy: 'Delete' },
  status: { phase },
});
const summary = (actions: readonly Action[]): object[] =>
  actions.map((action) =>
    action.do === 'provision'
      ? { kind: action.kind, node: action.node, block: action.block }
      : { remove: action.volume },
  );

test.each<[string, Claim, object[]]>([
  ['a node-local claim waits for its node', claim({}), []],
  ['a node-local claim is made on its node', claim({}, selected), [{ kind: 'local', node: 'node-b', block: false }]],
  ['a block claim', claim({ volumeMode: 'Block' }, selected), [{ kind: 'local', node: 'node-b', block: true }]],
  [
    'a shared claim belongs to no node',
    claim({ storageClassName: 'shared' }, selected),
    [{ kind: 'shared', node: undefined, block: false }],
  ],
  ["another provisioner's claim", claim({ storageClassName: 'other' }, selected), []],
  ['a claim that has a volume', claim({ volumeName: 'x' }, selected), []],
  ['a claim that is going', claim({}, { ...selected, deletionTimestamp: '2026-01-01T00:00:00Z' }), []],
])('%s', (_, each, want) => {
  expect(summary(planStorage([each], [], classes))).toEqual(want);
});

test('a volume is not made twice', () => {
  expect(planStorage([claim({}, selected)], [volume('Available')], classes)).toEqual([]);
});

test('a released volume goes, if it is ours', () => {
  expect(summary(planStorage([], [volume('Released')], classes))).toEqual([{ remove: 'pvc-1' }]);
  expect(planStorage([], [volume('Bound')], classes)).toEqual([]);
  expect(planStorage([], [volume('Released', {})], classes)).toEqual([]);
});

test.each([
  ['node-b', { key: 'kubernetes.io/hostname', operator: 'In', values: ['node-b'] }],
  [undefined, { key: 'kubernetes.io/hostname', operator: 'Exists' }],
])('a volume on %s is bound to its claim and to where it is', (node, place) => {
  const action = { do: 'provision', volume: 'pvc-1', kind: 'local', node, block: true, claim: claim({}) } as const;
  expect(renderVolume(action, '/p')).toMatchObject({
    metadata: { name: 'pvc-1' },
    spec: {
      capacity: { storage: '1Gi' },
      volumeMode: 'Block',
      local: { path: '/p' },
      claimRef: { namespace: 'ns', name: 'c', uid: '1' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [place] }] } },
    },
  });
});

test.each([
  ['1Gi', 2 ** 30],
  ['64Mi', 2 ** 26],
  ['1G', 1e9],
  ['100', 512],
  ['1.5Ki', 1536],
])('%s is %d bytes', (quantity, bytes) => expect(storageBytes(quantity)).toBe(bytes));

test('a quantity it does not know is refused', () => expect(() => storageBytes('1Pi')).toThrow('1Pi'));
