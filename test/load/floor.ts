import { barePod, equip, startBarePod } from '../bench/floor.ts';
import { kubectlWith } from '../e2e/support/cluster.ts';
import { inLauncher, type PodObject } from '../e2e/support/machines.ts';

/** Starts as many bare domains at once, by libvirt alone, in one pod on each node; answers the milliseconds until each one's agent answered. */
export async function bareStarts(
  from: PodObject,
  image: string,
  nodes: readonly string[],
  count: number,
  withinMs: number,
): Promise<number[]> {
  const { namespace } = from.metadata;
  const pods = await Promise.all(
    nodes.map(async (nodeName, index) => {
      const pod = barePod(namespace, `bare-${index}`, image, {});
      await kubectlWith({ ...pod, spec: { ...pod.spec, nodeName } }, 'apply', '-f', '-');
      const started = await startBarePod(pod);
      await equip(from, started);
      return started;
    }),
  );
  const share = (index: number) => Math.floor(count / nodes.length) + (index < count % nodes.length ? 1 : 0);
  const times = await Promise.all(pods.map((pod, index) => startIn(pod, share(index), withinMs)));
  return times.flat();
}

async function startIn(pod: PodObject, count: number, withinMs: number): Promise<number[]> {
  const script = `
    cd /var/run/kubevirt-ephemeral-disks
    mkdir -p /var/run/kubevirt-private/libvirt/qemu/log
    now() { date +%s%3N; }
    start=$(now)
    all=
    for i in $(seq ${count}); do
      sed "s,<name>.*</name>,<name>bare-$i</name>," bare.xml > bare-$i.xml
      virsh -q create bare-$i.xml >/dev/null || exit 1
      all="$all bare-$i"
    done
    while [ -n "$all" ] && [ $(( $(now) - start )) -lt ${withinMs} ]; do
      left=
      for name in $all; do
        if virsh -q qemu-agent-command $name '{"execute":"guest-ping"}' >/dev/null 2>&1
        then echo $(( $(now) - start )); else left="$left $name"; fi
      done
      all=$left
      sleep 0.5
    done
    for i in $(seq ${count}); do virsh -q destroy bare-$i >/dev/null; done`;
  const times = (await inLauncher(pod, script)).split('\n').filter(Boolean).map(Number);
  if (times.length !== count) throw new Error(`${times.length} of ${count} bare guests reached their agent`);
  return times;
}
