import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execIn, kubectl, kubectlWith, list, productNamespace, tryKubectl } from '../e2e/support/cluster.ts';
import { eventually } from '../e2e/support/eventually.ts';
import type { PodObject } from '../e2e/support/machines.ts';

export type Component = 'virt-controller' | 'virt-handler';

const CODE = 'crash-at';
const FILES = ['crash-at.mjs', 'supervise.mjs'];
const KIND = { 'virt-controller': 'deployment', 'virt-handler': 'daemonset' } as const;

/** What makes a component die where it is told to: only its object in the cluster changes, its image does not. */
function patchOf(component: Component, undo: boolean): object {
  const main = `/usr/lib/yagura/${component}/main.mjs`;
  const command = ['/usr/local/bin/node', '/crash/supervise.mjs', '--import=/crash/crash-at.mjs', main];
  const mount = (name: string, mountPath: string) => (undo ? { $patch: 'delete', mountPath } : { name, mountPath });
  const volume = (name: string, source: object) => (undo ? { $patch: 'delete', name } : { name, ...source });
  return {
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: component,
              command: undo ? null : command,
              volumeMounts: [mount(CODE, '/crash'), mount('crash-state', '/crash-state')],
            },
          ],
          volumes: [volume(CODE, { configMap: { name: CODE } }), volume('crash-state', { emptyDir: {} })],
        },
      },
    },
  };
}

async function rollOut(component: Component, undo: boolean): Promise<void> {
  const target = `${KIND[component]}/${component}`;
  const patch = JSON.stringify(patchOf(component, undo));
  await kubectl('-n', productNamespace, 'patch', target, '--type=strategic', '-p', patch);
  await kubectl('-n', productNamespace, 'rollout', 'status', target, '--timeout=120s');
}

export async function patchIn(component: Component): Promise<void> {
  const data = Object.fromEntries(FILES.map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')]));
  const metadata = { name: CODE, namespace: productNamespace };
  await kubectlWith({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, 'apply', '-f', '-');
  await rollOut(component, false);
}

/** The component as it was installed. */
export async function patchOut(component: Component): Promise<void> {
  await rollOut(component, true);
  await tryKubectl(undefined, '-n', productNamespace, 'delete', 'configmap', CODE);
}

/** The pod of a component; of virt-handler the one on a node. */
async function podOf(component: Component, node?: string): Promise<PodObject> {
  return eventually(`one pod of ${component} runs`, 60_000, async () => {
    const pods = (await list<PodObject>('pods', '-n', productNamespace, '-l', `kubevirt.io=${component}`)).filter(
      ({ spec, status }) => status?.phase === 'Running' && (node === undefined || spec.nodeName === node),
    );
    if (pods.length === 1) return pods[0];
    throw new Error(`${pods.length} of them`);
  });
}

/** A point at which a process dies: 0 is none, all are written down. */
export interface Crash {
  at: number;
  when: 'before' | 'after';
}

/** One process that can be told where to die. */
export class Victim {
  readonly component: Component;
  readonly #pod: PodObject;

  private constructor(component: Component, pod: PodObject) {
    this.component = component;
    this.#pod = pod;
  }

  static async find(component: Component, node?: string): Promise<Victim> {
    return new Victim(component, await podOf(component, node));
  }

  async arm(id: string, path: string, crash: Crash): Promise<void> {
    const arm = JSON.stringify({ id, path, ...crash });
    await this.#run(`cd /crash-state; rm -f fired points; echo '${arm}' > staged; mv staged arm.json`);
  }

  /** Ends what was armed; answers what was written down. */
  async disarm(): Promise<{ points: string[]; fired: string[] }> {
    await this.#run('rm -f /crash-state/arm.json');
    const lines = async (file: string) =>
      (await this.#run(`cat /crash-state/${file} 2>/dev/null; true`)).split('\n').filter(Boolean);
    return { points: await lines('points'), fired: await lines('fired') };
  }

  #run(command: string): Promise<string> {
    const { namespace, name } = this.#pod.metadata;
    return execIn(namespace, name, this.component, command);
  }
}
