import { defineResource, type KubeClient, type KubeObject } from '@yagura/kube';
import { type Diagnosis, diagnose, renderDiagnosis, type Status } from '@yagura/layers';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { messageOf, UsageError } from '../errors.ts';
import { columns, parseFormat, render } from '../output.ts';
import { reportOf } from '../report.ts';
import { parseTarget, type Target } from '../target.ts';
import { printed, WATCH_SECONDS } from '../watch.ts';

/** Machines that are asked for at the same time. */
const PARALLEL = 8;
const WORST_FIRST: readonly Status[] = ['broken', 'degraded', 'unknown', 'healthy'];
const COLOURS: Record<Status, string> = {
  healthy: '\x1b[32m',
  degraded: '\x1b[33m',
  broken: '\x1b[31m',
  unknown: '\x1b[35m',
};

const VirtualMachines = defineResource<KubeObject>('kubevirt.io/v1', 'VirtualMachine', 'virtualmachines');
const VirtualMachineInstances = defineResource<KubeObject & { status?: { nodeName?: string } }>(
  'kubevirt.io/v1',
  'VirtualMachineInstance',
  'virtualmachineinstances',
);

interface Options {
  output: ReturnType<typeof parseFormat>;
  watch?: boolean;
  allNamespaces?: boolean;
  namespace?: string;
  node?: string;
}

export function addDiagnose(program: Command, context: CliContext): void {
  program
    .command('diagnose')
    .description('what is wrong with a virtual machine, which layer says so, and what to do')
    .argument('[namespace/name]', 'the virtual machine; without it all of a namespace, a node or the cluster')
    .option('-o, --output <format>', 'table, json or yaml', parseFormat, 'table')
    .option('-w, --watch', `again every ${WATCH_SECONDS} s until interrupted`)
    .option('-A, --all-namespaces', 'all virtual machines')
    .option('-n, --namespace <namespace>', 'those of a namespace')
    .option('--node <node>', 'those on a node')
    .addHelpText('after', '\nExit code: 0 healthy, 1 degraded or broken, 2 unknown. Rules: docs/diagnosis.md')
    .action(async (name: string | undefined, options: Options) => {
      const several = options.allNamespaces === true || options.node !== undefined || name === undefined;
      if (several && name !== undefined) throw new UsageError('name a virtual machine, or -A or --node, not both');
      if (several && !options.allNamespaces && !options.node && !options.namespace)
        throw new UsageError('name a virtual machine as NAMESPACE/NAME, or say -n NAMESPACE, --node NODE or -A');
      const look = async () => {
        const client = await context.client();
        const { text, status } = several
          ? await diagnoseAll(context, client, options)
          : await diagnoseOne(context, parseTarget(name, options.namespace ?? client.access.namespace), options);
        context.exitCode(exitCodeOf(status));
        return text;
      };
      // What cannot be asked for is not known.
      context.exitCode(2);
      // Watched is what breaks: an API server that does not answer for a while is no reason to stop.
      await printed(context, options.watch, look, (error) => context.err(`${messageOf(error)}\n`));
    });
}

interface Shown {
  text: string;
  status: Status;
}

async function diagnoseOne(context: CliContext, target: Target, { output }: Options): Promise<Shown> {
  const diagnosis = diagnose(await reportOf(context, target));
  const text = render(diagnosis, output, (value) => renderDiagnosis(value, painter(context)));
  return { text, status: diagnosis.verdict.status };
}

async function diagnoseAll(context: CliContext, client: KubeClient, options: Options): Promise<Shown> {
  const targets = await targetsOf(client, options, context.signal);
  const found: Diagnosis[] = [];
  let isComplete = true;
  const ask = async () => {
    for (let target = targets.shift(); target !== undefined; target = targets.shift()) {
      try {
        const diagnosis = await diagnoseIfThere(context, target);
        if (diagnosis !== undefined) found.push(diagnosis);
      } catch (error) {
        context.err(`${target.namespace}/${target.name}: ${messageOf(error)}\n`);
        isComplete = false;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, ask));
  const items = worstFirst(found);
  const list = { kind: 'DiagnosisList', apiVersion: 'subresources.kubevirt.io/v1', items };
  const text = render(list, options.output, ({ items: all }) => diagnosesTable(all, painter(context)));
  const worst = items[0]?.verdict.status ?? 'healthy';
  return { text, status: worst === 'healthy' && !isComplete ? 'unknown' : worst };
}

/** Undefined for a machine that has been deleted since it was listed. */
async function diagnoseIfThere(context: CliContext, target: Target): Promise<Diagnosis | undefined> {
  try {
    return diagnose(await reportOf(context, target));
  } catch (error) {
    if ((error as { code?: number }).code === 404) return undefined;
    throw error;
  }
}

/** Machines and instances, each once; of a node those that run there. */
async function targetsOf(client: KubeClient, options: Options, signal: AbortSignal): Promise<Target[]> {
  const query = options.namespace === undefined || options.allNamespaces ? {} : { namespace: options.namespace };
  const instances = (await client.list(VirtualMachineInstances, query, signal)).items.filter(
    ({ status }) => options.node === undefined || status?.nodeName === options.node,
  );
  const machines = options.node === undefined ? (await client.list(VirtualMachines, query, signal)).items : [];
  const all = [...instances, ...machines].map(({ metadata }) => ({
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
  }));
  return [...new Map(all.map((target) => [`${target.namespace}/${target.name}`, target])).values()];
}

export function worstFirst(diagnoses: readonly Diagnosis[]): Diagnosis[] {
  const rank = ({ verdict }: Diagnosis) => WORST_FIRST.indexOf(verdict.status);
  const key = ({ metadata }: Diagnosis) => `${metadata.namespace}/${metadata.name}`;
  return [...diagnoses].sort((a, b) => rank(a) - rank(b) || key(a).localeCompare(key(b)));
}

function diagnosesTable(items: Diagnosis[], paint: (status: Status, text: string) => string): string {
  if (items.length === 0) return 'There are no virtual machines.\n';
  const table = columns(
    ['STATUS', 'MACHINE', 'NODE', 'LAYER', 'SIGNAL', 'BECAUSE'],
    items.map(({ metadata, node, verdict }) => [
      verdict.status,
      `${metadata.namespace}/${metadata.name}`,
      node ?? '-',
      verdict.layer,
      verdict.signal,
      verdict.because[0] ?? '',
    ]),
  );
  return table.replace(/^(healthy|degraded|broken|unknown)/gm, (word) => paint(word as Status, word));
}

function painter(context: CliContext): (status: Status, text: string) => string {
  return (status, text) => (context.interactive ? `${COLOURS[status]}${text}\x1b[0m` : text);
}

function exitCodeOf(status: Status): number {
  return status === 'healthy' ? 0 : status === 'unknown' ? 2 : 1;
}
