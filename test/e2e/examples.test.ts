import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { parseAllDocuments } from 'yaml';
import { kubectl, list, nodeExec, root } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { enableHostDisk } from './support/feature-gates.ts';
import { condition, freshNamespace, getVm, getVmi, untilAgent, untilPhase } from './support/machines.ts';
import { Places } from './support/places.ts';

// Every manifest as its user applies it, some at a time, gone again as soon as it is as it says.
const ns = 'e2e-examples';
const directory = join(root, 'examples');
const hostDirectory = '/var/lib/yagura-examples';

/** Left to `npm run test:examples`: other tests here start the like, and look inside of the guest. */
const ELSEWHERE = [
  'vm-cpu-hotplug',
  'vm-hotplug-volume',
  'vm-memory-hotplug',
  'vm-pvc',
  'vmi-access-credentials',
  'vmi-bridge',
  'vmi-cloud-init-configdrive',
  'vmi-cloud-init-nocloud',
  'vmi-config-disks',
  'vmi-e1000e',
  'vmi-emptydisk',
  'vmi-ephemeral',
  'vmi-hostdisk',
  'vmi-kernel-boot',
  'vmi-multus',
  'vmi-pvc-block',
  'vmi-secureboot',
  'vmi-uefi',
  'vmi-watchdog',
];

type Machine = VirtualMachine | VirtualMachineInstance;
const isVm = (machine: Machine): machine is VirtualMachine => machine.kind === 'VirtualMachine';
const specOf = (machine: Machine) => (isVm(machine) ? machine.spec.template.spec : machine.spec);
const startsByItself = (machine: Machine) =>
  !isVm(machine) || !['Halted', 'Manual'].includes(machine.spec.runStrategy ?? '');
const needsCdi = (machine: Machine) => isVm(machine) && machine.spec.dataVolumeTemplates !== undefined;
const runs = (machine: Machine) => startsByItself(machine) && !needsCdi(machine);

interface Example {
  name: string;
  machines: Machine[];
  done: PromiseWithResolvers<void>;
}

/** EXAMPLES is `all`, or names with commas between. */
function isWanted(name: string): boolean {
  const wanted = process.env['EXAMPLES'];
  return wanted ? wanted === 'all' || wanted.split(',').includes(name) : !ELSEWHERE.includes(name);
}

const examples = readdirSync(directory)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''))
  .filter(isWanted)
  .map((name): Example => {
    const documents = parseAllDocuments(readFileSync(join(directory, `${name}.yaml`), 'utf8'));
    const objects = documents.map((document) => document.toJS() as Machine);
    const machines = objects.filter(({ kind }) => kind === 'VirtualMachine' || kind === 'VirtualMachineInstance');
    return { name, machines, done: Promise.withResolvers() };
  });

/** As its manifest says it should be. */
async function settles(machine: Machine): Promise<void> {
  const { name } = machine.metadata;
  const spec = specOf(machine);
  if (!runs(machine)) {
    const status = needsCdi(machine) ? 'DataVolumeError' : 'Stopped';
    await eventually(`${name} is ${status}`, 60_000, async () => {
      const vm = await getVm(ns, name);
      if (vm?.status?.printableStatus !== status) throw new Error(JSON.stringify(vm?.status));
      return !needsCdi(machine) || condition(vm, 'Failure')?.message?.includes('CDI');
    });
    expect(await getVmi(ns, name)).toBeUndefined();
    return;
  }
  await untilPhase(ns, name, 'Running', 150_000);
  // A guest that is asked to shut down must be there to hear it.
  if (spec.terminationGracePeriodSeconds !== 0) await untilAgent(ns, name, 150_000);
  const wanted = [...(spec.startStrategy ? ['Paused'] : []), ...(spec.readinessProbe ? ['Ready'] : [])];
  for (const type of wanted) {
    await eventually(`${name} is ${type}`, 150_000, async () => {
      const found = condition(await getVmi(ns, name), type);
      if (found?.status === 'True') return true;
      throw new Error(JSON.stringify(found));
    });
  }
}

async function show({ name, machines }: Example): Promise<void> {
  const file = join(directory, `${name}.yaml`);
  try {
    await kubectl('-n', ns, 'apply', '-f', file);
    for (const machine of machines) await settles(machine);
  } finally {
    await kubectl('-n', ns, 'delete', '-f', file, '--ignore-not-found', '--timeout=120s');
  }
}

beforeAll(async () => {
  await freshNamespace(ns);
  await kubectl('label', 'namespace', ns, 'pod-security.kubernetes.io/enforce=privileged', '--overwrite');
  if (examples.some(({ name }) => name === 'vmi-hostdisk')) await enableHostDisk();
  const guests = new Places(3);
  for (const example of examples) {
    const { machines, done } = example;
    // Its own test tells what failed.
    done.promise.catch(() => {});
    void guests.during(machines.filter(runs).length, () => show(example)).then(done.resolve, done.reject);
  }
}, 150_000);

afterAll(async () => {
  const nodes = await list<{ metadata: { name: string } }>('nodes');
  await kubectl('delete', 'namespace', ns, '--wait=false');
  for (const { metadata } of nodes) await nodeExec(metadata.name, 'rm', '-rf', hostDirectory);
}, 60_000);

test.each(examples)('$name', ({ done }) => done.promise, 600_000);
