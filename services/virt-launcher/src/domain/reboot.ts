import { type Domain, LibvirtTimeoutError } from '@yagura/libvirt';
import { errorMessage, type Logger } from '@yagura/runtime';

const AGENT_TIMEOUT_MS = 3_000;

/** Asks the guest to reboot and returns at once; the agent's refusal falls back to the power button. */
export async function softReboot(domain: Domain, agentAnswers: boolean, log: Logger): Promise<'guest-agent' | 'acpi'> {
  if (!agentAnswers) {
    await domain.reboot(['acpi']);
    return 'acpi';
  }
  domain.reboot(['guest-agent'], { timeoutMs: AGENT_TIMEOUT_MS }).catch(async (error: unknown) => {
    // One that is only slow may be rebooting already: libvirt would take the next shutdown for the reboot it waits for.
    if (error instanceof LibvirtTimeoutError) return;
    log.info({ error: errorMessage(error) }, 'no reboot by the guest agent, pressing the power button');
    await domain.reboot(['acpi']).catch((err: unknown) => log.warn({ err }, 'no reboot by ACPI either'));
  });
  return 'guest-agent';
}
