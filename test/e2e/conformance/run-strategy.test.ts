import { kubectl, kubectlWith, tryKubectl } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { freshNamespace } from '../support/machines.ts';
import { fullNs, ns } from './machine.ts';
import { begin as always } from './stories/always.ts';
import { begin as changes } from './stories/changes.ts';
import { begin as grace } from './stories/grace.ts';
import { begin as halted } from './stories/halted.ts';
import { begin as manual } from './stories/manual.ts';
import { begin as once } from './stories/once.ts';
import { begin as refused } from './stories/refused.ts';
import { begin as rerunOnFailure } from './stories/rerun-on-failure.ts';
import { begin as shutDown } from './stories/shut-down.ts';

beforeAll(async () => {
  await Promise.all([freshNamespace(ns), freshNamespace(fullNs)]);
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: fullNs, name: 'none' },
    spec: { hard: { 'count/virtualmachineinstances.kubevirt.io': '0' } },
  };
  await kubectlWith(quota, 'create', '-f', '-');
  await eventually('the quota is in force', 30_000, async () => {
    const status = await kubectl('-n', fullNs, 'get', 'resourcequota', 'none', '-o', 'jsonpath={.status.hard}');
    return status.includes('virtualmachineinstances');
  });
  for (const begin of [always, halted, rerunOnFailure, manual, once, shutDown, grace, refused, changes]) begin();
}, 180_000);

afterAll(async () => {
  await tryKubectl(undefined, 'delete', 'namespace', ns, fullNs, '--wait=false');
});
