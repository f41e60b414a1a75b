// Started by `up`, in the cluster's cgroup: makes what takes minutes to build, and ends. A failure is tried again by the next `up`.
import { makeSlowThings } from './background.ts';
import { readClusterFile } from './cluster-file.ts';
import { planNodes } from './plan.ts';

try {
  const cluster = await readClusterFile();
  if (cluster === undefined) throw new Error('there is no local cluster');
  await makeSlowThings(planNodes(cluster.nodes), new AbortController().signal);
  console.log('done');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
