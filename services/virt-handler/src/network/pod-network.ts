import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VirtualMachineInstance } from '@yagura/api';
import { resolveInRoot } from '../disks/resolve-in-root.ts';
import type { Run } from '../system/run.ts';
import { addressingOf } from './addressing.ts';
import { type Attachment, bridgeAttachment, masqueradeAttachment } from './attachment.ts';
import { bridgeSteps, removalSteps } from './bridge.ts';
import { findLink, type Link, type Route } from './links.ts';
import { masqueradeSteps, podLink } from './masquerade.ts';
import { type BridgePlan, type Plan, planNetwork, planRemovals } from './plan.ts';
import { type DnsConfig, parseResolvConf } from './resolv-conf.ts';
import { renderScript, type Step } from './script.ts';

/** What a pod's network namespace holds. */
interface Namespace {
  links: Link[];
  routes: Route[];
  dns: DnsConfig;
}

/** Builds the network of an instance in its pod's network namespace; the pod's end takes all of it away. */
export class PodNetwork {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  /**
   * Makes the network be what the spec asks for, whatever of it is there already. `pid`: any process of the pod.
   * @param missing what to do about an interface whose network the pod does not have (yet)
   */
  async ensure(
    vmi: VirtualMachineInstance,
    pid: number,
    signal?: AbortSignal,
    missing: 'fail' | 'skip' = 'fail',
  ): Promise<Attachment[]> {
    const plans = planNetwork(vmi);
    if (plans.length === 0) return [];
    const namespace = await this.#look(pid, signal);
    const attachments: Attachment[] = [];
    for (const plan of plans) {
      if (missing === 'skip' && !hasNetwork(plan, namespace.links)) continue;
      const { steps, attachment } = build(vmi, plan, namespace);
      await this.#do(pid, steps, signal);
      attachments.push(attachment);
    }
    return attachments;
  }

  /** Takes away what was built for interfaces that are to be unplugged, but for those in `use`. */
  async remove(
    vmi: VirtualMachineInstance,
    pid: number,
    use: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<void> {
    const plans = planRemovals(vmi).filter(({ name }) => !use.has(name));
    if (plans.length === 0) return;
    const { links } = await this.#look(pid, signal);
    await this.#do(
      pid,
      plans.flatMap((plan) => removalSteps(links, plan)),
      signal,
    );
  }

  /** The devices as they are, with their counters. `pid`: any process of the pod. */
  async links(pid: number, timeoutMs: number): Promise<Link[]> {
    const command = [...inNetworkOf(pid), 'ip', '-json', '-statistics', 'link', 'show'];
    return JSON.parse((await this.#run(command, { timeoutMs })) || '[]') as Link[];
  }

  async #look(pid: number, signal: AbortSignal | undefined): Promise<Namespace> {
    const ask = async (...args: string[]) =>
      JSON.parse(
        (await this.#run([...inNetworkOf(pid), 'ip', '-json', '-details', ...args], signal ? { signal } : {})) || '[]',
      );
    const [links, routes, dns] = await Promise.all([
      ask('address', 'show') as Promise<Link[]>,
      ask('-4', 'route', 'show') as Promise<Route[]>,
      podDns(pid),
    ]);
    return { links, routes, dns };
  }

  async #do(pid: number, steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
    await this.#run([...inNetworkOf(pid), 'sh', '-euc', renderScript(steps)], signal ? { signal } : {});
  }
}

function hasNetwork({ podInterface, ...plan }: Plan, links: readonly Link[]): boolean {
  const names = [podInterface, ...(plan.kind === 'bridge' ? [plan.port] : [])];
  return names.some((name) => findLink(links, name) !== undefined);
}

function build(vmi: VirtualMachineInstance, plan: Plan, { links, routes, dns }: Namespace) {
  if (plan.kind === 'bridge') return buildBridge(vmi, plan, { links, routes, dns });
  const link = podLink(links);
  return {
    steps: masqueradeSteps(links, plan, plan.mac ?? link.mac),
    attachment: masqueradeAttachment(vmi, plan, link, dns),
  };
}

function buildBridge(vmi: VirtualMachineInstance, plan: BridgePlan, { links, routes, dns }: Namespace) {
  const given = addressingOf(plan, links, routes);
  if (given === undefined) {
    throw new Error(`the pod has no interface ${plan.podInterface} for network ${plan.name} (yet)`);
  }
  const { mtu } = findLink(links, plan.port) ?? findLink(links, plan.podInterface) ?? { mtu: 1500 };
  return { steps: bridgeSteps(links, plan, given), attachment: bridgeAttachment(vmi, plan, given, mtu, dns) };
}

function inNetworkOf(pid: number): string[] {
  return ['nsenter', '--target', String(pid), '--net', '--'];
}

async function podDns(pid: number): Promise<DnsConfig> {
  const root = `/proc/${pid}/root`;
  return parseResolvConf(await readFile(join(root, await resolveInRoot(root, '/etc/resolv.conf')), 'utf8'));
}
