import { mkdirSync, writeFileSync } from 'node:fs';
import type { VirtualMachineInstance } from '@yagura/api';
import { kubectl, local, tryKubectl, yagura } from '../e2e/support/cluster.ts';
import { apply, freshNamespace, launcherPod, tinyVm, tinyVmi, untilAgent } from '../e2e/support/machines.ts';
import { GuestConsole } from '../e2e/support/streams.ts';
import { untilHealthy, untilNamed } from './diagnosis.ts';
import { type Expected, type Fault, says, type Victim } from './fault.ts';
import { agentFaults } from './rows/agent.ts';
import { componentFaults } from './rows/components.ts';
import { domainFaults } from './rows/domain.ts';
import { guestFaults } from './rows/guest.ts';
import { kubernetesFaults } from './rows/kubernetes.ts';
import { failedStarts } from './rows/starts.ts';

// Real faults on a real machine, each named by `yagura diagnose` in time and healthy again after its repair.
// FAULTS='agent|QEMU' takes those whose names match.
const wanted = new RegExp(process.env['FAULTS'] ?? '.');
const faults = [...agentFaults, ...guestFaults, ...domainFaults, ...componentFaults, ...kubernetesFaults].filter(
  ({ name }) => wanted.test(name),
);
const starts = failedStarts.filter(({ name }) => wanted.test(name));
/** Longer than is promised, to tell how long it really took. */
const PATIENCE = 3;

const ns = 'faults';
const table: string[] = [];

const line = (fault: string, expected: Expected, verdict: string, seconds: string): void => {
  table.push(
    [fault.padEnd(40), `${expected.layer} ${expected.signals.join('|')}`.padEnd(52), verdict.padEnd(44), seconds].join(
      ' ',
    ),
  );
};

let machine: { victim: Victim; spec: Partial<VirtualMachineInstance['spec']> | undefined } | undefined;

/** The machine of the fault before, where that was mended; else a new one. */
async function victimOf(fault: Fault): Promise<Victim> {
  if (machine !== undefined && machine.spec === fault.spec) {
    await untilHealthy(ns, machine.victim.name, 60);
    return machine.victim;
  }
  await discard();
  const name = 'victim';
  // A guest that ends stays ended, so that its end can be looked at.
  await apply(tinyVm(ns, name, 'Manual', { terminationGracePeriodSeconds: 5, ...fault.spec }));
  const { code, stderr } = await yagura('start', `${ns}/${name}`);
  if (code !== 0) throw new Error(stderr);
  const vmi = await untilAgent(ns, name, 120_000);
  const pod = await launcherPod(vmi);
  const console = await GuestConsole.login(ns, name);
  await untilHealthy(ns, name, 60);
  const victim = { namespace: ns, name, node: vmi.status?.nodeName ?? '', vmi, pod, console };
  machine = { victim, spec: fault.spec };
  return victim;
}

async function discard(): Promise<void> {
  machine?.victim.console.socket.terminate();
  if (machine !== undefined)
    await tryKubectl(undefined, '-n', ns, 'delete', 'vm', machine.victim.name, '--timeout=90s');
  machine = undefined;
}

beforeAll(() => freshNamespace(ns), 150_000);

afterAll(async () => {
  await discard();
  await tryKubectl(undefined, 'delete', 'namespace', ns, '--wait=false');
  const text = `${table.join('\n')}\n`;
  mkdirSync(local('test'), { recursive: true });
  writeFileSync(local('test/faults.txt'), text);
  process.stderr.write(`\n${text}`);
}, 120_000);

if (faults.length > 0) {
  test.each(faults.map((fault) => [fault.name, fault] as const))(
    '%s: the layer is named, and healthy after its repair',
    async (_name, fault) => {
      const victim = await victimOf(fault);
      let seconds = Number.NaN;
      try {
        await fault.inject(victim);
        const named = await untilNamed(ns, victim.name, fault.expected, fault.withinSeconds * PATIENCE + 5);
        seconds = named.seconds;
        const { verdict, remarks } = named.diagnosis;
        const finding = fault.expected.remark
          ? remarks.find(({ signal }) => fault.expected.signals.includes(signal))
          : verdict;
        line(
          fault.name,
          fault.expected,
          `${finding?.layer} ${finding?.signal} (${finding?.status})`,
          seconds.toFixed(1),
        );
        expect(says(named.diagnosis, fault.expected)).toBe(true);
      } catch (error) {
        line(fault.name, fault.expected, `NOT NAMED: ${String(error).slice(0, 160)}`, '-');
        throw error;
      } finally {
        if (fault.repair === undefined) await discard();
        else await fault.repair(victim);
      }
      if (fault.repair !== undefined) {
        await untilHealthy(ns, victim.name, fault.healthyWithinSeconds ?? 60).catch(async (error: unknown) => {
          await discard();
          throw error;
        });
      }
      expect(seconds).toBeLessThanOrEqual(fault.withinSeconds);
    },
    400_000,
  );
}

if (starts.length > 0) {
  test.each(starts.map((start) => [start.name, start] as const))(
    '%s: what hinders the start is named',
    async (_name, { name, expected, spec, withinSeconds }) => {
      const vmi = name.replaceAll(' ', '-');
      await apply(tinyVmi(ns, vmi, spec));
      try {
        const { seconds, diagnosis } = await untilNamed(ns, vmi, expected, withinSeconds * PATIENCE);
        line(name, expected, `${diagnosis.verdict.layer} ${diagnosis.verdict.signal}`, seconds.toFixed(1));
        expect(seconds).toBeLessThanOrEqual(withinSeconds);
      } finally {
        await kubectl('-n', ns, 'delete', 'vmi', vmi, '--timeout=60s');
      }
    },
    150_000,
  );
}
