import { kubectl, productNamespace } from '../../e2e/support/cluster.ts';
import { type Component, componentPod, signalComponent } from '../../e2e/support/components.ts';
import type { PodObject } from '../../e2e/support/machines.ts';
import type { Fault, Victim } from '../fault.ts';

const scale = (component: Component, replicas: number) =>
  kubectl('-n', productNamespace, 'scale', `deployment/${component}`, `--replicas=${replicas}`);

async function untilReady(component: Component, victim?: Victim): Promise<void> {
  const target = component === 'virt-handler' ? `pod/${(await handlerOf(victim as Victim)).metadata.name}` : '';
  if (target === '')
    await kubectl('-n', productNamespace, 'rollout', 'status', `deployment/${component}`, '--timeout=90s');
  else await kubectl('-n', productNamespace, 'wait', target, '--for=condition=Ready', '--timeout=90s');
}

const handlerOf = (victim: Victim): Promise<PodObject> => componentPod('virt-handler', victim.node);

/** A part of the product breaks; no guest does. */
export const componentFaults: Fault[] = [
  {
    name: 'virt-handler stopped (SIGSTOP)',
    expected: { layer: 'node', signals: ['virt-handler-dead', 'virt-handler-silent'] },
    withinSeconds: 10,
    inject: async (victim) => signalComponent(await handlerOf(victim), 'STOP'),
    repair: async (victim) => {
      await signalComponent(await handlerOf(victim), 'CONT');
      await untilReady('virt-handler', victim);
    },
  },
  {
    name: 'virt-handler killed',
    // The kubelet starts it anew.
    expected: { layer: 'node', signals: ['virt-handler-dead', 'virt-handler-silent'] },
    withinSeconds: 10,
    inject: async (victim) => signalComponent(await handlerOf(victim), 'KILL'),
    repair: (victim) => untilReady('virt-handler', victim),
  },
  {
    name: 'virt-controller gone',
    expected: { layer: 'kubernetes', signals: ['virt-controller-silent'] },
    // Twice as long as its lease lasts.
    withinSeconds: 40,
    inject: async () => void (await scale('virt-controller', 0)),
    repair: async () => {
      await scale('virt-controller', 1);
      await untilReady('virt-controller');
    },
  },
  {
    name: 'virt-api gone',
    expected: { layer: 'kubernetes', signals: ['virt-api-silent'] },
    withinSeconds: 10,
    inject: async () => {
      await scale('virt-api', 0);
      await kubectl(
        '-n',
        productNamespace,
        'wait',
        'pod',
        '-l',
        'kubevirt.io=virt-api',
        '--for=delete',
        '--timeout=60s',
      );
    },
    repair: async () => {
      await scale('virt-api', 1);
      await untilReady('virt-api');
    },
  },
];
