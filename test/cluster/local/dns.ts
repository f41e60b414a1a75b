import { join } from 'node:path';
import { kubectl } from '../kubectl.ts';
import { checkout, stateDir } from '../paths.ts';
import { corednsTool, ensureTool, toolPath } from '../tools.ts';
import { writeImageArchive } from './image-archive.ts';
import { loadImagesInto } from './load-images.ts';
import type { NodePlan } from './plan.ts';

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
