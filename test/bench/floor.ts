import { kubectl, local } from '../e2e/support/cluster.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { inLauncher, type PodObject } from '../e2e/support/machines.ts';
import { sh } from '../e2e/support/shell.ts';

/** One bare start of the same guest: by libvirt alone, in a pod of the same image, with nobody watching. */
export interface BareStart {
  /** Milliseconds until `virsh create` returned. */
  created: number;
  /** Milliseconds from its start until the first answer to guest-ping. */
  answered: number;
}

/** A pod of the launcher's image that no instance belongs to; its launcher waits for nobody. */
export function barePod(namespace: string, name: string, image: string, requests: Record<string, string>) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: { runAsUser: 107, runAsGroup: 107, fsGroup: 107 },
      containers: [{ name: 'compute', image, imagePullPolicy: 'IfNotPresent', resources: { requests } }],
    },
  };
}

/** The domain of a running instance, made to stand alone: user-mode network, kernel files in the pod, a name of its own. */
export function bareDomain(xml: string): string {
  return (
    xml
      .replace(
        /<interface type=['"]ethernet['"]>[\s\S]*?<\/interface>/g,
        "<interface type='user'><model type='virtio'/></interface>",
      )
      .replace(/<uuid>.*?<\/uuid>/g, '')
      .replace(/<sysinfo[\s\S]*?<\/sysinfo>/g, '')
      .replace(/<smbios[^>]*\/>/g, '')
      .replace(/<serial type=['"]unix['"]>[\s\S]*?<\/serial>/g, '')
      .replace(/<console type=['"]unix['"]>[\s\S]*?<\/console>/g, '')
      .replace(/<graphics[\s\S]*?<\/graphics>/g, '')
      // libvirt chooses the agent's socket itself when there is no path.
      .replace(/<source mode=['"]bind['"][^>]*\/>/g, '')
      .replace(/<metadata>[\s\S]*?<\/metadata>/g, '')
      .replace(/<kernel>.*?<\/kernel>/, '<kernel>/var/run/kubevirt-ephemeral-disks/vmlinuz</kernel>')
      .replace(/<initrd>.*?<\/initrd>/, '<initrd>/var/run/kubevirt-ephemeral-disks/initrd</initrd>')
  );
}

/** Puts the kernel, the initrd and the domain of a running instance into a bare pod. */
export async function equip(from: PodObject, to: PodObject): Promise<void> {
  const kernelBoot = '/var/run/kubevirt/container-disks/kernel-boot';
  const target = '/var/run/kubevirt-ephemeral-disks';
  const env = { KUBECONFIG: process.env['KUBECONFIG'] ?? local('kubeconfig') };
  for (const [source, name] of [
    ['kernel', 'vmlinuz'],
    ['initrd', 'initrd'],
  ]) {
    const exec = (pod: PodObject, flags: string, command: string): string =>
      `${local('bin/kubectl')} -n ${pod.metadata.namespace} exec ${flags} ${pod.metadata.name} -c compute -- ${command}`;
    const pipe = `${exec(from, '', `cat ${kernelBoot}/${source}`)} | ${exec(to, '-i', `sh -c 'cat > ${target}/${name}'`)}`;
    await sh('bash', ['-o', 'pipefail', '-c', pipe], { env });
  }
  const xml = bareDomain(await inLauncher(from, 'virsh -q dumpxml --inactive $(virsh -q list --name)'));
  await sh(
    local('bin/kubectl'),
    [
      '-n',
      to.metadata.namespace,
      'exec',
      '-i',
      to.metadata.name,
      '-c',
      'compute',
      '--',
      'sh',
      '-c',
      `cat > ${target}/bare.xml`,
    ],
    { env, input: xml },
  );
}

/** Starts the bare domain, waits for its agent, destroys it. */
export async function bareStart(pod: PodObject): Promise<BareStart> {
  const script = `
    set -e
    mkdir -p /var/run/kubevirt-private/libvirt/qemu/log
    now() { date +%s%N; }
    start=$(now)
    virsh -q create /var/run/kubevirt-ephemeral-disks/bare.xml >/dev/null
    created=$(now)
    name=$(virsh -q list --name)
    tries=0
    until virsh -q qemu-agent-command "$name" '{"execute":"guest-ping"}' >/dev/null 2>&1; do
      tries=$((tries + 1)); [ $tries -lt 3000 ]
    done
    answered=$(now)
    virsh -q destroy "$name" >/dev/null
    echo $(( (created - start) / 1000000 )) $(( (answered - start) / 1000000 ))`;
  const [created, answered] = (await inLauncher(pod, script)).trim().split(' ').map(Number);
  if (created === undefined || answered === undefined) throw new Error('the bare domain told no times');
  return { created, answered };
}

export async function startBarePod(pod: ReturnType<typeof barePod>): Promise<PodObject> {
  const { namespace, name } = pod.metadata;
  await kubectl('-n', namespace, 'wait', `pod/${name}`, '--for=condition=Ready', '--timeout=60s');
  const started = JSON.parse(await kubectl('-n', namespace, 'get', 'pod', name, '-o', 'json')) as PodObject;
  await eventually(
    'libvirt of the bare pod answers',
    20_000,
    async () => (await inLauncher(started, 'virsh -q version')) !== '',
  );
  return started;
}
