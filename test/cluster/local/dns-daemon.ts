// Started by `up`, in the cluster's cgroup: builds and deploys CoreDNS, and ends. A failure is tried again by the next `up`.
import { readClusterFile } from './cluster-file.ts';
import { deployDns } from './dns.ts';
import { planNodes } from './plan.ts';

try {
  const cluster = await readClusterFile();
  if (cluster === undefined) throw new Error('there is no local cluster');
  await deployDns(planNodes(cluster.nodes), new AbortController().signal);
  console.log('deployed');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
