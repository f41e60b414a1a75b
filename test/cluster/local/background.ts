import { join } from 'node:path';
import { checkout } from '../paths.ts';
import type { Step } from '../steps.ts';
import { corednsTool, ensureTool, isBuilt, laterTools } from '../tools.ts';
import { deployDns } from './dns.ts';
import type { NodePlan } from './plan.ts';
import { recordProcess, runningProcess } from './processes.ts';
import { startDaemon } from './supervise.ts';

/** Cluster DNS, and what is for tests and the curious. */
export async function makeSlowThings(nodes: readonly NodePlan[], signal: AbortSignal): Promise<void> {
  await deployDns(nodes, signal);
  for (const tool of laterTools) await ensureTool(tool, signal);
}

/** Nothing that `up` shows needs them, and they take minutes: so the first time they are made after `up` has ended. */
export function backgroundStep(nodes: () => readonly NodePlan[], after: readonly string[]): Step {
  return {
    name: 'cluster DNS, grpcurl',
    after,
    run: async ({ signal }) => {
      const built = await Promise.all([corednsTool, ...laterTools].map(isBuilt));
      if (!built.includes(false)) {
        await makeSlowThings(nodes(), signal);
        return undefined;
      }
      if ((await runningProcess('background')) === undefined) {
        const script = join(checkout, 'test/cluster/local/background-daemon.ts');
        const command = `exec nice -n 10 ${process.execPath} --disable-warning=ExperimentalWarning ${script}`;
        await recordProcess('background', await startDaemon('background', 'background', [command], process.env));
      }
      return 'are being built in the background, minutes; .local/logs/background.log';
    },
  };
}
