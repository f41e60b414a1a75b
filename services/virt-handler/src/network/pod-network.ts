import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VirtualMachineInstance } from '@yagura/api';
import { resolveInRoot } from '../disks/resolve-in-root.ts';
import type { Run } from '../system/run.ts';
import { type Attachment, attachment } from './attachment.ts';
import { ipCommands, type Link, podLink, sysctls } from './commands.ts';
import { renderNft } from './nft.ts';
import { type MasqueradePlan, planNetwork } from './plan.ts';
import { type DnsConfig, parseResolvConf } from './resolv-conf.ts';

/** Builds the network of an instance in its pod's network namespace; the pod's end takes all of it away. */
export class PodNetwork {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Makes the network be what the spec asks for, whatever of it is there already. `pid`: any process of the pod. */
  async ensure(vmi: VirtualMachineInstance, pid: number, signal?: AbortSignal): Promise<Attachment[]> {
    const plans = planNetwork(vmi);
    if (plans.length === 0) return [];
    const inPod = ['nsenter', '--target', String(pid), '--net', '--'];
    const options = signal ? { signal } : {};
    const links = JSON.parse(await this.#run([...inPod, 'ip', '-json', 'address', 'show'], options)) as Link[];
    const link = podLink(links);
    for (const plan of plans) {
      await this.#run([...inPod, 'sh', '-euc', script(plan, links, plan.mac ?? link.mac)], options);
    }
    const dns = await podDns(pid);
    return plans.map((plan) => attachment(vmi, plan, link, dns));
  }
}

/** One process for all of it; the plan holds nothing but addresses and names of ours, quoted by here-documents. */
function script(plan: MasqueradePlan, links: Link[], guestMac: string): string {
  return [
    "ip -batch - <<'END'",
    ...ipCommands(links, plan, guestMac),
    'END',
    ...sysctls(plan).map(([path, value]) => `echo ${value} > /proc/sys/${path}`),
    "nft -f - <<'END'",
    renderNft(plan),
    'END',
    '',
  ].join('\n');
}

async function podDns(pid: number): Promise<DnsConfig> {
  const root = `/proc/${pid}/root`;
  return parseResolvConf(await readFile(join(root, await resolveInRoot(root, '/etc/resolv.conf')), 'utf8'));
}
