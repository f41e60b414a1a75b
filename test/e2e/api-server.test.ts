import { list, productNamespace } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  bootId,
  freshNamespace,
  launcherPod,
  type PodObject,
  tinyVm,
  tinyVmi,
  untilAgent,
  untilPhase,
} from './support/machines.ts';
import { run } from './support/shell.ts';

const ns = 'e2e-api-server';

/** The API server of the local cluster runs on the machine itself, under a supervisor; elsewhere it is not ours to kill. */
const serverPids = async (): Promise<string[]> =>
  (await run('pgrep', ['-f', '^[^ ]*/kubernetes[^ ]* kube-apiserver '])).stdout.split('\n').filter(Boolean);

const restarts = async (): Promise<number> => {
  const pods = await list<PodObject>('pods', '-n', productNamespace);
  return pods
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
};

test('restart of the API server: the guest runs on, nothing of ours restarts, and what is asked next is done', async () => {
  const [server] = await serverPids();
  if (server === undefined) return;
  await freshNamespace(ns);
  await apply(tinyVmi(ns, 'steady'));
  const pod = await launcherPod(await untilAgent(ns, 'steady'));
  const boot = await bootId(pod);
  const before = await restarts();

  await run('kill', ['-9', server]);
  await eventually('another API server answers', 30_000, async () => {
    const [now] = await serverPids();
    return now !== undefined && now !== server && (await list('namespaces')).length > 0;
  });

  // Every watch has to be back for this: machine, instance, pod, node.
  await apply(tinyVm(ns, 'next', 'Always'));
  await untilPhase(ns, 'next', 'Running', 45_000);
  const vmi = await untilAgent(ns, 'steady');
  expect((await launcherPod(vmi)).metadata.uid).toBe(pod.metadata.uid);
  expect(await bootId(pod)).toBe(boot);
  expect(await restarts()).toBe(before);
}, 180_000);
