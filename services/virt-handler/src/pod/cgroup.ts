const CONTAINER_ID = /[0-9a-f]{64}/g;

/** The id in a pod status's `containerID`, without the runtime's scheme; undefined while there is none. */
export function bareContainerId(containerId: string | undefined): string | undefined {
  const id = containerId?.split('://').at(-1);
  return id === undefined || id === '' ? undefined : id;
}

/**
 * The container that a process is in, from its /proc/PID/cgroup: the last 64-digit id of a path, whatever driver
 * (cgroupfs, systemd) and hierarchy (v1, v2, or both) wrote it. Undefined for a process outside of any.
 */
export function containerOf(cgroupFile: string): string | undefined {
  for (const line of cgroupFile.split('\n')) {
    const path = line.split(':').slice(2).join(':');
    const id = path.match(CONTAINER_ID)?.at(-1);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Whether /proc/PID/status shows the first process of a PID namespace below ours. */
export function isNamespaceInit(statusFile: string): boolean {
  const pids = /^NSpid:\s*(.+)$/m.exec(statusFile)?.[1]?.trim().split(/\s+/) ?? [];
  return pids.length > 1 && pids.at(-1) === '1';
}

/** Field 22 of /proc/PID/stat: when the process started, in clock ticks since boot. Tells a reused pid from the old one. */
export function startTicks(statFile: string): string | undefined {
  // The command in parentheses may hold anything, also parentheses and spaces.
  return statFile.slice(statFile.lastIndexOf(')') + 2).split(' ')[19];
}
