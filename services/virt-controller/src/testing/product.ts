import type { Pod, VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { EventRecorder, silentLogger } from '@yagura/kube';
import { FakeClock } from '@yagura/kube/testing';
import { Caches } from '../caches.ts';
import { VmController } from '../vm/vm-controller.ts';
import { VmiController } from '../vmi/vmi-controller.ts';
import { ApiServer } from './api-server.ts';
import { podOf } from './objects.ts';

const NAME = { namespace: 'n', name: 'demo' };

/** Both controllers over one small API server; a pass that fails is tried again, as the queue would. */
export function product() {
  const server = new ApiServer();
  const clock = new FakeClock();
  const silent = { create: () => Promise.resolve({}), patch: () => Promise.resolve({}) } as never;
  const events = new EventRecorder(silent, { component: 'test', clock });
  let uuids = 0;
  const uuid = () => `uuid-${++uuids}`;
  /** A new process: caches as the API server shows them, nothing remembered. */
  const boot = () => {
    const caches = new Caches(server.client, 'yagura', () => {});
    const world = { client: server.client, caches, events, clock, uuid };
    return {
      caches,
      vm: new VmController({ ...world, random: () => 0 }),
      vmi: new VmiController({ ...world, launcherImage: 'launcher:1', heartbeatTimeoutMs: 300_000 }),
    };
  };
  let process = boot();
  const refresh = () => {
    const { caches } = process;
    for (const [plural, store] of [
      ['virtualmachines', caches.vms.store],
      ['virtualmachineinstances', caches.vmis.store],
      ['pods', caches.pods.store],
      ['nodes', caches.nodes.store],
    ] as const) {
      store.replace(server.all<never>(plural));
    }
  };
  const pass = async (): Promise<void> => {
    const context = { log: silentLogger, signal: new AbortController().signal, failures: 0 };
    for (const controller of [process.vm, process.vmi]) {
      refresh();
      await controller.reconcile(NAME, context).catch(() => {
        // The process may as well have died there.
        process = boot();
      });
    }
  };
  return { server, clock, pass };
}

export type Product = ReturnType<typeof product>;

/** Passes until nothing is written any more, also by one that comes after a request that failed. */
export async function settle({ server, pass, clock }: Product): Promise<void> {
  const snapshot = () => JSON.stringify([...server.objects]);
  for (let round = 0, quiet = 0; quiet < 2; round++) {
    if (round > 12) throw new Error('the controllers do not come to rest');
    const before = snapshot();
    await pass();
    await clock.advance(4_000);
    quiet = snapshot() === before ? quiet + 1 : 0;
  }
}

export const podsOf = ({ server }: Product) => server.all<Pod>('pods');
export const instanceOf = ({ server }: Product) => server.all<VirtualMachineInstance>('virtualmachineinstances')[0];
export const machineOf = ({ server }: Product) => server.all<VirtualMachine>('virtualmachines')[0];

/** The kubelet starts every pod that is not yet up. */
export function startPods({ server }: Product): void {
  for (const pod of podsOf({ server } as Product)) {
    const up = podOf('up');
    const started: Pod = {
      ...pod,
      spec: { ...pod.spec, nodeName: 'node-1' },
      status: { ...up.status, ...withGate(pod) },
    };
    server.put('pods', started);
  }
}

function withGate(pod: Pod): NonNullable<Pod['status']> {
  return { conditions: [...(pod.status?.conditions ?? []), { type: 'Ready', status: 'True' }] };
}

export function handlerSays({ server }: Product, phase: 'Running' | 'Succeeded' | 'Failed'): void {
  const vmi = server.all<VirtualMachineInstance>('virtualmachineinstances')[0];
  if (!vmi) return;
  const times = [...(vmi.status?.phaseTransitionTimestamps ?? []), { phase, phaseTransitionTimestamp: null }];
  const said: VirtualMachineInstance = { ...vmi, status: { ...vmi.status, phase, phaseTransitionTimestamps: times } };
  server.put('virtualmachineinstances', said);
}
