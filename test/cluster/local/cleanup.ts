import { readFile } from 'node:fs/promises';
import { eventually } from '@yagura/kube/testing/eventually';
import { exec, tryExec } from '../exec.ts';
import { runDir, stateDir } from '../paths.ts';
import { clusterProcesses, removeCgroups } from './cgroup-tree.ts';
import { forwardRules, nftTable } from './host-network.ts';
import { clusterLinks, clusterMounts, leftovers, linkNames, loopDevices } from './leftovers.ts';
import { removeMountPoints } from './mount-points.ts';
import { restoreSysctls } from './sysctls.ts';

/** Kills what runs in the cgroups of the cluster, or of one node. With a node's first process all of the node goes. */
export async function endProcesses(node?: string, signal?: AbortSignal): Promise<void> {
  await eventually(
    `end of the processes of ${node ?? 'the cluster'}`,
    30_000,
    async () => {
      const pids = await clusterProcesses(node);
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
      return pids.length === 0;
    },
    { everyMs: 50, signal },
  );
}

/** A cgroup stays busy for a moment after its last process. */
export async function endCgroups(node?: string, signal?: AbortSignal): Promise<void> {
  const gone = async (): Promise<boolean> => (await removeCgroups(node)) === 0;
  await eventually(`end of the cgroups of ${node ?? 'the cluster'}`, 15_000, gone, { everyMs: 50, signal });
}

async function removeNetwork(): Promise<void> {
  for (const link of clusterLinks(await linkNames())) await tryExec('ip', ['link', 'del', link]);
  await tryExec('nft', ['delete', 'table', 'ip', nftTable]);
  for (const rule of forwardRules) while ((await tryExec('iptables', ['-D', ...rule])) !== undefined);
}

async function removeMounts(): Promise<void> {
  for (const point of clusterMounts(await readFile('/proc/self/mountinfo', 'utf8')).reverse())
    await tryExec('umount', ['--lazy', point]);
}

async function removeLoops(): Promise<void> {
  for (const loop of await loopDevices()) await tryExec('losetup', ['--detach', loop]);
}

/** Removes every trace of a local cluster from the machine, whichever checkout made it and however it ended. */
export async function clearCluster(note: (text: string) => void = () => {}, signal?: AbortSignal): Promise<void> {
  note('ending processes');
  await endProcesses(undefined, signal);
  note('network, mounts, cgroups');
  await removeNetwork();
  await removeMounts();
  await removeLoops();
  await endCgroups(undefined, signal);
  note('files');
  await restoreSysctls();
  await removeMountPoints();
  await exec('rm', ['-rf', '--one-file-system', stateDir, runDir]);
  const left = await leftovers();
  if (left.length > 0)
    throw new Error(`could not remove:\n${left.map((each) => `  ${each.kind} ${each.name}`).join('\n')}`);
}
