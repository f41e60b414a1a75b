import type { VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { defineResource, isNotFound, KubeClient, KubeError } from '@yagura/kube';
import { kubeconfig } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { inLauncher, launcherPod, tinyImage } from '../support/machines.ts';

const Vms = defineResource<VirtualMachine>('kubevirt.io/v1', 'VirtualMachine', 'virtualmachines');
const Vmis = defineResource<VirtualMachineInstance>(
  'kubevirt.io/v1',
  'VirtualMachineInstance',
  'virtualmachineinstances',
);

/** Many machines are watched at once: a process for each look would be too much. */
const client = await KubeClient.load({ kubeconfig });
afterAll(() => client.close());

export const ns = 'e2e-run-strategy';
/** Holds no instance at all, by quota: machines of it have none for as long as a test needs. */
export const fullNs = 'e2e-run-strategy-full';

type TemplateSpec = VirtualMachineInstance['spec'];

/** A machine whose firmware finds nothing to boot: it runs at once, costs nothing, and hears no power button. */
export const nothingToBoot: TemplateSpec = {
  terminationGracePeriodSeconds: 0,
  domain: {
    memory: { guest: '32Mi' },
    devices: { autoattachPodInterface: false, autoattachGraphicsDevice: false },
  },
};

/** A guest that shuts itself down as soon as it is up. */
export const shutsItselfDown: TemplateSpec = {
  terminationGracePeriodSeconds: 0,
  domain: { memory: { guest: '128Mi' }, devices: { autoattachPodInterface: false, autoattachGraphicsDevice: false } },
  volumes: [
    { name: 'root', containerDisk: { image: tinyImage } },
    { name: 'seed', cloudInitNoCloud: { userData: '#!/bin/sh\npoweroff -f\n' } },
  ],
};

/** virt-api was not there to be asked: nothing has been decided by anybody. */
const isUnreached = (error: unknown): boolean =>
  error instanceof KubeError && error.code >= 500 && /service unavailable|calling webhook/i.test(error.message);

/** What is answered once virt-api can be reached. */
async function reached<T>(ask: () => Promise<T>): Promise<T> {
  const answer = await eventually('virt-api is reached', 60_000, async () => {
    const [asked] = await Promise.allSettled([ask()]);
    if (asked.status === 'rejected' && isUnreached(asked.reason)) throw asked.reason as Error;
    return asked;
  });
  if (answer.status === 'rejected') throw answer.reason as Error;
  return answer.value;
}

type Strategy = Pick<VirtualMachine['spec'], 'runStrategy' | 'running'>;

export class Machine {
  readonly namespace: string;
  readonly name: string;

  constructor(namespace: string, name: string) {
    this.namespace = namespace;
    this.name = name;
  }

  create(
    strategy: Strategy,
    spec: TemplateSpec = nothingToBoot,
    dataVolumeTemplates: VirtualMachine['spec']['dataVolumeTemplates'] = [],
  ): Promise<unknown> {
    const { namespace, name } = this;
    const vm: VirtualMachine = {
      metadata: { namespace, name },
      spec: { ...strategy, template: { spec }, dataVolumeTemplates },
    };
    return reached(() => client.create(Vms, vm));
  }

  /** A change by its user. */
  patch(spec: object): Promise<unknown> {
    return reached(() => client.patch(Vms, this, { type: 'merge', body: { spec } }));
  }

  /** The code and, of a refusal, the text that a call on the machine answers. */
  call(subresource: 'start' | 'stop' | 'restart', body: object | string = {}): Promise<string> {
    return reached(() => this.#put(subresource, typeof body === 'string' ? body : JSON.stringify(body)));
  }

  async #put(subresource: string, body: string): Promise<string> {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${this.namespace}/virtualmachines/${this.name}/${subresource}`;
    const headers = { 'Content-Type': 'application/json' };
    try {
      const response = await client.stream({ method: 'PUT', path, headers, body });
      response.body.resume();
      return String(response.status);
    } catch (error) {
      if (!(error instanceof KubeError) || isUnreached(error)) throw error;
      const prefix = /^PUT \S+: (?:Operation cannot be fulfilled on \S+ "[^"]*": )?/;
      return `${error.code} ${error.message.replace(prefix, '')}`;
    }
  }

  vm(): Promise<VirtualMachine> {
    return client.get(Vms, this);
  }

  async strategy() {
    return (await this.vm()).spec.runStrategy;
  }

  async vmi(): Promise<VirtualMachineInstance | undefined> {
    try {
      return await client.get(Vmis, this);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  deleteInstance(): Promise<unknown> {
    return client.delete(Vmis, this);
  }

  /** The machine, once its printable status is this and it waits for nothing. */
  is(printable: string): Promise<VirtualMachine> {
    return eventually(`${this.name} is ${printable}`, 90_000, async () => {
      const vm = await this.vm();
      const { printableStatus, stateChangeRequests, conditions } = vm.status ?? {};
      if (
        printableStatus === printable &&
        !stateChangeRequests &&
        vm.status?.desiredGeneration === vm.metadata.generation
      )
        return vm;
      throw new Error(`it is ${printableStatus}: ${JSON.stringify({ stateChangeRequests, conditions })}`);
    });
  }

  /** Stopped, and no instance is left. */
  async isGone(): Promise<VirtualMachine> {
    // It is Stopped as soon as the instance has ended, which goes a moment later.
    await eventually(`the instance of ${this.name} is gone`, 90_000, async () => (await this.vmi()) === undefined);
    return this.is('Stopped');
  }

  /** Its instance, once that runs and is another one than the one given. */
  runs(than?: VirtualMachineInstance): Promise<VirtualMachineInstance> {
    return eventually(`${than ? 'another' : 'an'} instance of ${this.name} runs`, 150_000, async () => {
      const vmi = await this.vmi();
      if (vmi?.status?.phase === 'Running' && vmi.metadata.uid !== than?.metadata.uid) return vmi;
      throw new Error(`it is ${vmi?.status?.phase ?? '(none)'} ${vmi?.metadata.uid}`);
    });
  }

  /** Its instance, once that has ended and stays. */
  ended(phase: 'Succeeded' | 'Failed'): Promise<VirtualMachineInstance> {
    return eventually(`the instance of ${this.name} is ${phase}`, 150_000, async () => {
      const vmi = await this.vmi();
      if (vmi?.status?.phase === phase && !vmi.metadata.deletionTimestamp) return vmi;
      throw new Error(`it is ${vmi?.status?.phase ?? '(none)'}`);
    });
  }

  /** QEMU dies under the guest. */
  async crash(): Promise<VirtualMachineInstance> {
    const vmi = await this.runs();
    const kill = 'for p in /proc/[0-9]*; do case $(readlink $p/exe) in *qemu-system*) kill -9 ${p#/proc/};; esac; done';
    await inLauncher(await launcherPod(vmi), kill);
    return vmi;
  }
}
