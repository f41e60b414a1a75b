import { join } from 'node:path';
import { kubectl } from '../kubectl.ts';
import { checkout, stateDir } from '../paths.ts';
import type { Step } from '../steps.ts';
import { corednsTool, ensureTool, isBuilt, toolPath } from '../tools.ts';
import { writeImageArchive } from './image-archive.ts';
import { loadImagesInto } from './load-images.ts';
import type { NodePlan } from './plan.ts';
import { recordProcess, runningProcess } from './processes.ts';
import { startDaemon } from './supervise.ts';

/** Builds CoreDNS unless this machine has it, and deploys it. */
export async function deployDns(nodes: readonly NodePlan[], signal: AbortSignal): Promise<void> {
  await ensureTool(corednsTool, signal);
  const archive = join(stateDir, 'coredns.tar');
  const coredns = {
    reference: 'localhost/yagura/coredns:dev',
    files: { coredns: await toolPath(corednsTool) },
    entrypoint: ['/coredns'],
    user: '0:0',
  };
  await writeImageArchive(coredns, archive);
  await Promise.all(nodes.map((node) => loadImagesInto(node.name, [archive], signal)));
  await kubectl(['apply', '-f', join(checkout, 'test/cluster/objects/dns.yaml')], undefined, signal);
}

/** The build takes two minutes, and nothing that `up` shows needs names: so the first time it goes on after `up` has ended. */
export function dnsStep(nodes: () => readonly NodePlan[], after: readonly string[]): Step {
  return {
    name: 'cluster DNS',
    after,
    run: async ({ signal }) => {
      if (await isBuilt(corednsTool)) {
        await deployDns(nodes(), signal);
        return undefined;
      }
      if ((await runningProcess('dns')) === undefined) {
        const script = join(checkout, 'test/cluster/local/dns-daemon.ts');
        const command = `exec nice -n 10 ${process.execPath} --disable-warning=ExperimentalWarning ${script}`;
        await recordProcess('dns', await startDaemon('dns', 'dns', [command], process.env));
      }
      return 'is being built in the background, two minutes; .local/logs/dns.log';
    },
  };
}
