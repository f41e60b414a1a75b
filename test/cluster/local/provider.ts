import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@yagura/kube/testing/eventually';
import { kubectl } from '../kubectl.ts';
import { ensurePackages, packages } from '../packages.ts';
import { checkout, dotLocal, kubeconfigPath, logs, sharedVolumes, stateDir } from '../paths.ts';
import { loadedImage, type Provider } from '../provider.ts';
import type { Step } from '../steps.ts';
import { ensureKubernetes, ensureTool, kubernetesTool, networksTool, toolPath } from '../tools.ts';
import { apiGet, readyNodes } from './api.ts';
import { backgroundStep } from './background.ts';
import { makeCertificates } from './certs.ts';
import { clearCluster } from './cleanup.ts';
import { decide, readClusterFile, writeClusterFile } from './cluster-file.ts';
import { ensureControlPlane } from './control-plane.ts';
import { ensureBridge } from './host-network.ts';
import { pause, writeImageArchive } from './image-archive.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { leftovers } from './leftovers.ts';
import { loadImagesInto } from './load-images.ts';
import { loadModules } from './modules.ts';
import { makeMountPoints } from './mount-points.ts';
import { ensureNode } from './node.ts';
import { writeNodeExec } from './node-exec.ts';
import { privateDirs } from './node-init.ts';
import type { NodePlan } from './plan.ts';
import { planNodes } from './plan.ts';
import { runningProcess } from './processes.ts';
import { writeResolvConf } from './resolv-conf.ts';
import { ensureSysctls } from './sysctls.ts';

const defaultNodes = 2;
const objects = join(checkout, 'test/cluster/objects');
const pauseArchive = join(stateDir, 'pause.tar');

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** Clears what cannot be kept, and settles how many nodes there are to be. */
async function settle(
  wanted: number | undefined,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<{ nodes: NodePlan[]; remark: string }> {
  const want = { checkout, nodes: wanted, bootId: await bootId() };
  const found = {
    file: await readClusterFile(),
    traces: (await leftovers()).length > 0,
    controlPlaneRuns: (await runningProcess('control-plane')) !== undefined,
  };
  const decision = decide(found, want);
  const count =
    decision.action === 'keep'
      ? decision.nodes
      : (wanted ?? (found.file?.checkout === checkout ? found.file.nodes : defaultNodes));
  if (decision.action === 'replace') await clearCluster(note, signal);
  await mkdir(sharedVolumes, { recursive: true });
  await writeClusterFile({ version: 1, checkout, nodes: count, bootId: want.bootId });
  const remark =
    decision.action === 'create' ? 'none' : decision.action === 'keep' ? 'kept' : `cleared ${decision.why}`;
  return { nodes: planNodes(count), remark };
}

const list = (did: readonly string[]): string => (did.length === 0 ? 'runs' : did.join(', '));

export function localProvider(wanted: number | undefined): Provider {
  let nodes: NodePlan[] = [];
  const touched = new Map<string, number>();
  const each = async (work: (node: NodePlan) => Promise<string[]>): Promise<string[]> =>
    (await Promise.all(nodes.map(work))).flat();
  const steps: Step[] = [
    { name: 'Debian packages', run: ({ note, signal }) => ensurePackages(packages.local, note, signal) },
    {
      name: 'earlier cluster',
      after: ['Debian packages'],
      run: async ({ note, signal }) => {
        const settled = await settle(wanted, note, signal);
        nodes = settled.nodes;
        return settled.remark;
      },
    },
    {
      name: 'network plugin',
      lane: 'build',
      run: ({ signal }) => ensureTool(networksTool, signal),
    },
    {
      name: 'Kubernetes binary',
      lane: 'build',
      run: ({ note, signal }) => (note('5 minutes on a machine that never built it'), ensureKubernetes(signal)),
    },
    {
      name: 'certificates and network',
      after: ['earlier cluster'],
      run: async () => {
        await loadModules();
        await ensureSysctls();
        await writeResolvConf();
        await makeMountPoints(privateDirs);
        await Promise.all([makeCertificates(nodes), ensureBridge(nodes), writeImageArchive(pause, pauseArchive)]);
        await writeKubeconfig(kubeconfigPath, 'admin');
        await writeNodeExec();
        return undefined;
      },
    },
    {
      name: 'control plane',
      after: ['certificates and network', 'Kubernetes binary'],
      run: async ({ signal }) => {
        const did = await ensureControlPlane(await toolPath(kubernetesTool));
        const ready = async (): Promise<boolean> => (await apiGet('/readyz', signal)).status === 200;
        await eventually(`ready API server (see ${join(logs, 'kube-apiserver.log')})`, 90_000, ready, { signal });
        return list(did);
      },
    },
    {
      name: 'nodes',
      after: ['certificates and network', 'Kubernetes binary', 'network plugin'],
      run: async ({ signal }) => {
        const kubernetes = await toolPath(kubernetesTool);
        const did = await each(async (node) => {
          const before = Date.now();
          const did = await ensureNode(node, nodes, kubernetes, signal);
          if (did.some((what) => what.includes(node.name) || what.includes('kubelet'))) touched.set(node.name, before);
          const what = `containerd on ${node.name} (see .local/logs/${node.name}-containerd.log)`;
          await eventually(what, 30_000, () => loadImagesInto(node.name, [pauseArchive], signal), { signal });
          return did;
        });
        return list(did);
      },
    },
    {
      name: 'storage and network classes',
      after: ['control plane'],
      run: async ({ signal }) => {
        for (const file of ['networks.yaml', 'storage.yaml'])
          await kubectl(['apply', '-f', join(objects, file)], undefined, signal);
        return undefined;
      },
    },
    {
      name: 'ready',
      after: ['control plane', 'nodes', 'storage and network classes'],
      run: async ({ note, signal }) => {
        await eventually(
          `${nodes.length} ready nodes (see ${join(logs, 'node-*-kubelet.log')})`,
          90_000,
          async () => {
            const ready = readyNodes((await apiGet('/api/v1/nodes', signal)).body, touched);
            note(`${ready.length} of ${nodes.length} nodes`);
            return nodes.every((node) => ready.includes(node.name));
          },
          { signal },
        );
        return nodes.map((node) => node.name).join(', ');
      },
    },
  ];
  return {
    name: 'local',
    steps,
    lastSteps: (others) => [backgroundStep(() => nodes, others)],
    chartValues: [],
    // Whether the machine's KVM runs a guest is not known from its device node; TCG always does.
    emulate: true,
    pullPolicy: 'IfNotPresent',
    image: loadedImage,
    loadImages: async (archives, signal) => [
      ...new Set(await each((node) => loadImagesInto(node.name, archives, signal))),
    ],
  };
}

export async function localDown(note: (text: string) => void, signal: AbortSignal): Promise<string> {
  const before = await leftovers();
  await clearCluster(note, signal);
  await rm(kubeconfigPath, { force: true });
  await rm(join(dotLocal, 'bin/node-exec'), { force: true });
  return before.length === 0 ? 'there was none' : 'nothing is left';
}
