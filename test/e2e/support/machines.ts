import type { VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { execIn, get, kubectl, kubectlWith, list, tryKubectl } from './cluster.ts';
import { eventually } from './eventually.ts';

export const tinyImage = 'localhost/yagura/guest-tiny:dev';

/** A namespace of the test's own, empty at the start. */
export async function freshNamespace(name: string): Promise<string> {
  await tryKubectl(undefined, 'delete', 'namespace', name, '--wait=true', '--timeout=120s');
  await kubectl('create', 'namespace', name);
  return name;
}

/** The spec of an instance of the tiny guest: one disk, one masquerade interface. */
export function tinySpec(): VirtualMachineInstance['spec'] {
  return {
    terminationGracePeriodSeconds: 30,
    domain: {
      memory: { guest: '128Mi' },
      devices: {
        disks: [{ name: 'root', disk: { bus: 'virtio' } }],
        interfaces: [{ name: 'default', masquerade: {} }],
      },
    },
    networks: [{ name: 'default', pod: {} }],
    volumes: [{ name: 'root', containerDisk: { image: tinyImage } }],
  };
}

export function tinyVmi(namespace: string, name: string, spec: Partial<VirtualMachineInstance['spec']> = {}) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { namespace, name },
    spec: { ...tinySpec(), ...spec },
  };
}

/** An instance of the tiny guest without a disk: nothing gets to its agent sooner, or with less memory. */
export function disklessVmi(namespace: string, name: string, mebibytes: number) {
  const container = {
    image: tinyImage,
    kernelPath: '/boot/vmlinuz',
    initrdPath: '/boot/initrd',
    imagePullPolicy: 'IfNotPresent' as const,
  };
  return tinyVmi(namespace, name, {
    terminationGracePeriodSeconds: 0,
    domain: {
      memory: { guest: `${mebibytes}Mi` },
      firmware: { kernelBoot: { kernelArgs: 'console=ttyS0 quiet initramfs_async=0', container } },
      devices: { interfaces: [{ name: 'default', masquerade: {} }], rng: {} },
    },
    volumes: [],
  });
}

export function tinyVm(
  namespace: string,
  name: string,
  runStrategy: string,
  spec: Partial<VirtualMachineInstance['spec']> = {},
) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name },
    spec: { runStrategy, template: { metadata: {}, spec: { ...tinySpec(), ...spec } } },
  };
}

export const apply = (object: object): Promise<string> => kubectlWith(object, 'apply', '-f', '-');

export const getVmi = (namespace: string, name: string) => get<VirtualMachineInstance>('vmi', name, namespace);
export const getVm = (namespace: string, name: string) => get<VirtualMachine>('vm', name, namespace);

export const condition = (object: VirtualMachineInstance | VirtualMachine | undefined, type: string) =>
  object?.status?.conditions?.find((each) => each.type === type);

export async function untilPhase(
  namespace: string,
  name: string,
  phase: string,
  timeoutMs = 60_000,
): Promise<VirtualMachineInstance> {
  return eventually(`VMI ${namespace}/${name} is ${phase}`, timeoutMs, async () => {
    const vmi = await getVmi(namespace, name);
    if (vmi?.status?.phase === phase) return vmi;
    throw new Error(
      `phase is ${vmi?.status?.phase ?? '(no VMI)'}; conditions ${JSON.stringify(vmi?.status?.conditions)}`,
    );
  });
}

/** Running, and the guest agent has answered. */
export async function untilAgent(namespace: string, name: string, timeoutMs = 90_000): Promise<VirtualMachineInstance> {
  return eventually(`guest agent of ${namespace}/${name} is connected`, timeoutMs, async () => {
    const vmi = await getVmi(namespace, name);
    if (vmi?.status?.phase === 'Running' && condition(vmi, 'AgentConnected')?.status === 'True') return vmi;
    throw new Error(
      `phase is ${vmi?.status?.phase ?? '(no VMI)'}; conditions ${JSON.stringify(vmi?.status?.conditions)}`,
    );
  });
}

export interface PodObject {
  metadata: { name: string; namespace: string; uid: string };
  spec: { nodeName?: string };
  status?: {
    phase?: string;
    reason?: string;
    podIP?: string;
    containerStatuses?: { name: string; restartCount: number }[];
  };
}

/** The one launcher pod of an instance. */
export async function launcherPod(vmi: VirtualMachineInstance): Promise<PodObject> {
  const pods = await list<PodObject>(
    'pods',
    '-n',
    vmi.metadata?.namespace ?? '',
    '-l',
    `kubevirt.io/created-by=${vmi.metadata?.uid}`,
  );
  if (pods.length !== 1) throw new Error(`${pods.length} launcher pods of ${vmi.metadata?.name}`);
  return pods[0] as PodObject;
}

/** A shell command in the launcher's compute container. */
export const inLauncher = (pod: PodObject, command: string): Promise<string> =>
  execIn(pod.metadata.namespace, pod.metadata.name, 'compute', command);

/** Process ids in the launcher's container whose command line matches; the shell that looks is not among them. */
export async function pids(pod: PodObject, pattern: string): Promise<number[]> {
  const look = `for f in /proc/[0-9]*; do [ "$f" = "/proc/$$" ] || { tr '\\0' ' ' < $f/cmdline 2>/dev/null | grep -q -- '${pattern}' && echo "\${f#/proc/}"; }; done; true`;
  // The looking shell's children carry no such command line; its own is left out above.
  return (await inLauncher(pod, look)).split('\n').filter(Boolean).map(Number);
}

/** The guest agent's answer to a command, asked past the product, straight through libvirt. */
export async function askAgent<T>(pod: PodObject, command: object): Promise<T> {
  const quoted = JSON.stringify(command).replaceAll("'", String.raw`'\''`);
  const answer = await inLauncher(pod, `virsh -q qemu-agent-command $(virsh -q list --name) '${quoted}'`);
  return (JSON.parse(answer) as { return: T }).return;
}

/** The beginning of a file in the guest, up to 4 KiB, without white space around it. */
export async function guestFile(pod: PodObject, path: string): Promise<string> {
  const handle = await askAgent<number>(pod, { execute: 'guest-file-open', arguments: { path } });
  const content = await askAgent<{ 'buf-b64': string }>(pod, {
    execute: 'guest-file-read',
    arguments: { handle, count: 4096 },
  });
  await askAgent(pod, { execute: 'guest-file-close', arguments: { handle } });
  return Buffer.from(content['buf-b64'], 'base64').toString().trim();
}

/** Changes with every boot of the guest's kernel, and only then. */
export const bootId = (pod: PodObject): Promise<string> => guestFile(pod, '/proc/sys/kernel/random/boot_id');

export interface EventObject {
  reason: string;
  message: string;
  type: string;
  involvedObject: { name: string; kind: string; uid: string };
}

export const eventsOf = async (namespace: string, name: string): Promise<EventObject[]> =>
  (await list<EventObject>('events', '-n', namespace)).filter((event) => event.involvedObject.name === name);
