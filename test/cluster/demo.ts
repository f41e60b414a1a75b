import { join } from 'node:path';
import { eventually } from '@yagura/kube/testing/eventually';
import { exec } from './exec.ts';
import { kubectl, tryKubectl } from './kubectl.ts';
import { bin, kubeconfigPath } from './paths.ts';
import type { Provider } from './provider.ts';
import type { StepContext } from './steps.ts';

const namespace = 'default';
const name = 'demo';

/** The machine that `up` starts last: the tiny guest behind the pod's address. */
export function demoMachine({ image, pullPolicy }: Pick<Provider, 'image' | 'pullPolicy'>): object {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          terminationGracePeriodSeconds: 30,
          domain: {
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
            memory: { guest: '192Mi' },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [{ name: 'root', containerDisk: { image: image('guest-tiny'), imagePullPolicy: pullPolicy } }],
        },
      },
    },
  };
}

interface VmiStatus {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Starts the demo, or keeps it running, and waits for its guest agent. */
export async function startDemo(provider: Provider, { note, signal }: StepContext): Promise<string> {
  const manifest = JSON.stringify(demoMachine(provider));
  const admitted = () => kubectl(['apply', '--dry-run=server', '-f', '-'], manifest, signal);
  // The webhooks know virt-api's authority a moment after its pods are ready.
  await eventually('virt-api admitting the demo', 30_000, admitted, { everyMs: 500, signal });
  await kubectl(['apply', '-f', '-'], manifest, signal);
  let phase = '';
  const agentConnected = async (): Promise<boolean> => {
    const text = await tryKubectl(['-n', namespace, 'get', 'vmi', name, '-o', 'json'], signal);
    if (text === undefined) return false;
    const { status } = JSON.parse(text) as VmiStatus;
    phase = status?.phase ?? 'no phase yet';
    note(phase);
    return (status?.conditions ?? []).some((each) => each.type === 'AgentConnected' && each.status === 'True');
  };
  const what = `guest agent of ${namespace}/${name} (kubectl describe vmi ${name}; kubectl get pods)`;
  await eventually(what, 240_000, agentConnected, { everyMs: 500, signal });
  return `${phase}, agent connected`;
}

/** What `up` ends with: the demo as a client sees it, and its layers by the product's own command. */
export async function showDemo(signal: AbortSignal): Promise<string> {
  const objects = await kubectl(['-n', namespace, 'get', 'vm,vmi'], undefined, signal);
  const env = { ...process.env, KUBECONFIG: kubeconfigPath };
  const layers = await exec(join(bin, 'yagura'), ['layers', `${namespace}/${name}`], { env }, signal);
  return `\n${objects}\n${layers}`;
}

/** Shuts the demo down within its grace. */
export async function removeDemo(signal: AbortSignal): Promise<void> {
  await kubectl(['-n', namespace, 'delete', 'vm', name, '--ignore-not-found', '--timeout=120s'], undefined, signal);
}
