import type { ContainerProbe } from '../kubernetes.ts';
import type { Probe, VirtualMachineInstance } from '../types.ts';

/** Seconds a guest is given before its first probe, beyond those the user asks for: the pod starts before the guest. */
const HEAD_START_SECONDS = 10;
/** The program in the launcher's image that asks the launcher to ask the agent. */
const VIRT_PROBE = 'virt-probe';

/**
 * A probe of the guest as one of the compute container. HTTP and TCP go to the address of the pod, which is that of the
 * guest; what the guest agent is to do goes through the launcher, which gets a second more than the guest.
 */
export function podProbe(probe: Probe, vmi: VirtualMachineInstance): ContainerProbe {
  const { guestAgentPing: _, exec: __, ...rest } = probe;
  const initialDelaySeconds = (probe.initialDelaySeconds ?? 0) + HEAD_START_SECONDS;
  if (!asksAgent(probe)) return { ...rest, initialDelaySeconds };
  const timeoutSeconds = probe.timeoutSeconds || 1;
  const { name, namespace } = vmi.metadata;
  const options = ['--domainName', `${namespace}_${name}`, '--timeoutSeconds', String(timeoutSeconds)];
  const command = [VIRT_PROBE, ...options, ...question(probe)];
  return { ...rest, exec: { command }, initialDelaySeconds, timeoutSeconds: timeoutSeconds + 1 };
}

/**
 * Lets a liveness probe begin only once the guest has started: images that take long to pull must not cost it its
 * launcher. However long it takes, nothing follows from it.
 */
export const STARTUP_PROBE: ContainerProbe = {
  exec: { command: [VIRT_PROBE, '--started'] },
  periodSeconds: 2,
  failureThreshold: 1_000_000,
};

function question({ exec }: Probe): string[] {
  if (!exec) return ['--guestAgentPing'];
  const [program = '', ...args] = (exec.command ?? []).map(literally);
  return ['--command', program, '--', ...args];
}

/** The kubelet puts the container's environment in for `$(NAME)`, and takes `$$` for `$`; the guest is to get what was written. */
function literally(word: string): string {
  return word.replaceAll('$', '$$$$');
}

/** Whether the guest agent has to answer. */
function asksAgent(probe: Probe | undefined): boolean {
  return probe?.exec !== undefined || probe?.guestAgentPing !== undefined;
}

/** How many of the instance's probes go through the guest agent. */
export function agentProbes({ spec }: VirtualMachineInstance): number {
  return [spec.livenessProbe, spec.readinessProbe].filter(asksAgent).length;
}
