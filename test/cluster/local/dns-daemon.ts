// Started by `up`, in the cluster's cgroup: builds and deploys CoreDNS, and ends.
import { readClusterFile } from './cluster-file.ts';
import { deployDns } from './dns.ts';
import { planNodes } from './plan.ts';

const cluster = await readClusterFile();
if (cluster === undefined) throw new Error('there is no local cluster');
await deployDns(planNodes(cluster.nodes), new AbortController().signal);
console.log('deployed');
