import { kubectl, kubectlWith, tryKubectl } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { freshNamespace } from '../support/machines.ts';
import { fullNs, ns } from './machine.ts';
import { tell } from './rows.ts';
import { alwaysStory } from './stories/always.ts';
import { changesStory } from './stories/changes.ts';
import { graceStory } from './stories/grace.ts';
import { haltedStory } from './stories/halted.ts';
import { manualStory } from './stories/manual.ts';
import { onceStory } from './stories/once.ts';
import { printableStatusStories } from './stories/printable-status.ts';
import { refusedStory } from './stories/refused.ts';
import { rerunOnFailureStory } from './stories/rerun-on-failure.ts';
import { shutDownStories } from './stories/shut-down.ts';

/** As many as two processors bear without anything becoming slow enough to be an event of its own. */
const AT_ONCE = 3;

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
  // Not waited for here: each row is waited for by its own test.
  const stories = [
    rerunOnFailureStory,
    manualStory,
    ...shutDownStories,
    alwaysStory,
    changesStory,
    haltedStory,
    onceStory,
    graceStory,
    refusedStory,
    ...printableStatusStories,
  ];
  void tell(stories, AT_ONCE);
}, 180_000);

afterAll(async () => {
  await tryKubectl(undefined, 'delete', 'namespace', ns, fullNs, '--wait=false');
});
