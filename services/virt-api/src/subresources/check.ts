import { BlockList, isIPv6 } from 'node:net';
import { conflict, forbidden, internalError, StatusError } from '../http/status.ts';
import { hasCondition, type Vmi, vmiSubject } from './objects.ts';

// Why something cannot be done with a VMI now, in the codes and words of the contract; nothing when it can.

const subjectOf = (vmi: Vmi) => vmiSubject(vmi.metadata?.name ?? '');
const runs = (vmi: Vmi): boolean => vmi.status?.phase === 'Running';

function requireRunning(vmi: Vmi, words = 'VMI is not running'): void {
  if (!runs(vmi)) throw conflict(subjectOf(vmi), words);
}

export function checkPause(vmi: Vmi): void {
  const subject = subjectOf(vmi);
  requireRunning(vmi, 'VM is not running');
  const probe = vmi.spec?.livenessProbe;
  // A stopped guest fails any probe but the ping, which knows of pauses, and would be killed for it.
  if (probe !== undefined && probe.guestAgentPing === undefined)
    throw forbidden(subject, 'Pausing VMIs with LivenessProbe is currently not supported');
  if (hasCondition(vmi, 'Paused')) throw conflict(subject, 'VMI is already paused');
}

export function checkUnpause(vmi: Vmi): void {
  requireRunning(vmi);
  if (!hasCondition(vmi, 'Paused')) throw conflict(subjectOf(vmi), 'VMI is not paused');
}

export function checkSoftReboot(vmi: Vmi): void {
  requireRunning(vmi);
  if (hasCondition(vmi, 'Paused')) throw conflict(subjectOf(vmi), 'VMI is paused');
  if (!hasCondition(vmi, 'AgentConnected') && vmi.spec?.domain?.features?.acpi?.enabled === false)
    throw conflict(subjectOf(vmi), 'VMI neither have the agent connected nor the ACPI feature enabled');
}

export function checkReset(vmi: Vmi): void {
  requireRunning(vmi);
}

export function checkFreeze(vmi: Vmi): void {
  requireRunning(vmi);
  // A guest that stands still answers nothing: it would only be waited for.
  if (hasCondition(vmi, 'Paused')) throw conflict(subjectOf(vmi), 'VMI is paused');
  if (!hasCondition(vmi, 'AgentConnected')) throw conflict(subjectOf(vmi), 'VMI does not have guest agent connected');
}

/** The guest agent's answers are only asked for when the VMI says that there is an agent to answer. */
export function checkGuestAgent(vmi: Vmi): void {
  if (!runs(vmi)) throw internalError('VMI is not running');
  if (!hasCondition(vmi, 'AgentConnected')) throw internalError('VMI does not have guest agent connected');
}

export function checkConsole(vmi: Vmi): void {
  if (vmi.spec?.domain?.devices?.autoattachSerialConsole === false)
    throw new StatusError(400, 'No serial consoles are present.');
  if (vmi.status?.phase === 'Failed') throw conflict(subjectOf(vmi), 'VMI is in failed status');
  if (!runs(vmi)) throw new StatusError(400, 'VMI is not running');
}

export function checkVnc(vmi: Vmi): void {
  if (vmi.spec?.domain?.devices?.autoattachGraphicsDevice === false)
    throw new StatusError(400, 'No graphics devices are present.');
  if (!runs(vmi)) throw new StatusError(400, 'VMI is not running');
}

/** Addresses that mean somebody else from here than they mean in the guest. */
const OURS = new BlockList();
for (const [net, prefix, family] of [
  ['0.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
] as const)
  OURS.addSubnet(net, prefix, family);

/** Address of the guest, for a connection from here. What the agent says of it may not lead to ourselves. */
export function checkPortForward(vmi: Vmi): string {
  if (hasCondition(vmi, 'Paused')) throw conflict(subjectOf(vmi), 'VMI is paused');
  if (!runs(vmi)) throw new StatusError(400, 'VMI is not running');
  const [first] = vmi.status?.interfaces ?? [];
  if (first === undefined) throw new StatusError(400, 'VMI has no network interfaces');
  const { ipAddress, infoSource } = first;
  // One that only the agent knows is none of the machine's.
  if (!ipAddress || infoSource === 'guest-agent')
    throw new StatusError(400, 'VMI has no IP address on its first network interface');
  const byAgent = infoSource?.includes('guest-agent') === true;
  if (byAgent && OURS.check(ipAddress, isIPv6(ipAddress) ? 'ipv6' : 'ipv4'))
    throw new StatusError(
      400,
      `VMI has ${ipAddress} on its first network interface, which cannot be reached from here`,
    );
  return ipAddress;
}
