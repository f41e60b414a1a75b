import { join } from 'node:path';
import { writeIfChanged } from '../files.ts';
import { bin, cgroupName, runDir } from '../paths.ts';

/** The command enters the node's cgroup too, so that nothing started this way outlives the cluster. */
export const nodeExecScript = `#!/bin/sh
# node-exec NODE COMMAND...: runs a command inside a node of the local cluster.
node=$1
[ $# -ge 2 ] || { echo "usage: node-exec NODE COMMAND...   (nodes: $(cd ${runDir} 2>/dev/null && ls node-*.pid 2>/dev/null | sed 's/.pid$//' | tr '\\n' ' '))" >&2; exit 2; }
shift
pid=$(cat "${runDir}/$node.pid" 2>/dev/null)
[ -n "$pid" ] && [ -d "/proc/$pid" ] || { echo "node-exec: no running node $node" >&2; exit 1; }
for procs in /sys/fs/cgroup/${cgroupName}/$node/init/cgroup.procs /sys/fs/cgroup/*/${cgroupName}/$node/init/cgroup.procs; do
  [ ! -e "$procs" ] || echo $$ > "$procs" 2>/dev/null
done
exec nsenter -t "$pid" -m -u -i -n -p -C -- "$@"
`;

export async function writeNodeExec(): Promise<void> {
  await writeIfChanged(join(bin, 'node-exec'), nodeExecScript, 0o755);
}
