import type { Pod } from '../kubernetes.ts';
import type { EvictionStrategy, VirtualMachineInstance } from '../types.ts';
import { decideEviction, type EvictionDecision } from './eviction.ts';

const pod = (phase = 'Running', nodeName = 'a'): Pod => ({
  metadata: { name: 'virt-launcher-x', namespace: 'ns' },
  spec: { nodeName, containers: [] },
  status: { phase: phase as 'Running' },
});
const vmi = (
  evictionStrategy: EvictionStrategy | undefined,
  migratable: boolean,
  evacuationNodeName?: string,
): VirtualMachineInstance => ({
  metadata: { name: 'x', namespace: 'ns', uid: 'u' },
  spec: { domain: { devices: {} }, ...(evictionStrategy ? { evictionStrategy } : {}) },
  status: {
    nodeName: 'a',
    conditions: [{ type: 'LiveMigratable', status: migratable ? 'True' : 'False' }],
    ...(evacuationNodeName ? { evacuationNodeName } : {}),
  },
});

const allowed: EvictionDecision = { allowed: true };
const stuck: EvictionDecision = {
  allowed: false,
  message: 'VMI x is configured with an eviction strategy but is not live-migratable',
};
const evacuation = 'Eviction triggered evacuation of VMI "ns/x"';
const marked: EvictionDecision = { allowed: false, message: evacuation, mark: 'a' };
const already: EvictionDecision = { allowed: false, message: `Evacuation in progress: ${evacuation}` };
const target: EvictionDecision = { allowed: false, message: 'Eviction request for target Pod' };

test.each<[string, Pod, VirtualMachineInstance | undefined, EvictionStrategy, EvictionDecision]>([
  ['no strategy', pod(), vmi(undefined, true), 'None', allowed],
  ['None', pod(), vmi('None', true), 'LiveMigrate', allowed],
  ['the strategy of the cluster', pod(), vmi(undefined, true), 'LiveMigrate', marked],
  ['LiveMigrate, not migratable', pod(), vmi('LiveMigrate', false), 'None', stuck],
  ['LiveMigrate, migratable', pod(), vmi('LiveMigrate', true), 'None', marked],
  ['LiveMigrateIfPossible, migratable', pod(), vmi('LiveMigrateIfPossible', true), 'None', marked],
  ['LiveMigrateIfPossible, not migratable', pod(), vmi('LiveMigrateIfPossible', false), 'None', allowed],
  ['External, migratable', pod(), vmi('External', true), 'None', marked],
  ['External, not migratable', pod(), vmi('External', false), 'None', marked],
  ['marked already', pod(), vmi('LiveMigrate', true, 'a'), 'None', already],
  ['the target of a migration', pod('Running', 'b'), vmi('LiveMigrate', true, 'a'), 'None', target],
  ['a pod that succeeded', pod('Succeeded'), vmi('LiveMigrate', false), 'None', allowed],
  ['a pod that failed', pod('Failed'), vmi('External', false), 'None', allowed],
  ['a pod whose instance is gone', pod(), undefined, 'LiveMigrate', allowed],
])('%s', (_what, evicted, instance, evictionStrategy, decision) => {
  expect(decideEviction(evicted, instance, { evictionStrategy }, true)).toEqual(decision);
});

test.each<[EvictionStrategy, EvictionDecision]>([
  ['LiveMigrateIfPossible', allowed],
  ['LiveMigrate', stuck],
  ['External', marked],
])('where nothing migrates, %s waits for no migration', (strategy, decision) => {
  expect(decideEviction(pod(), vmi(strategy, true), { evictionStrategy: 'None' }, false)).toEqual(decision);
});
