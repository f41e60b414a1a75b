import { isFinal } from '@yagura/api';
import { sleep } from '@yagura/runtime';
import { CLOSE, type End } from '@yagura/streams';
import type { Instance } from '../rest/instances.ts';

/** A device of a guest that is a stream of bytes, and its socket beside QEMU. */
export interface Device {
  socket: string;
  /** For people. */
  name: string;
}

export const DEVICES: Readonly<Record<string, Device>> = {
  console: { socket: 'virt-serial0', name: 'serial console' },
  vnc: { socket: 'virt-vnc', name: 'VNC server' },
};

/** The word of a guest's end may come a moment after QEMU has closed its sockets. */
const WORD_MS = 2_000;
const POLL_MS = 50;

/** Why a device has closed its connection. */
export async function whyClosed(device: Device, look: () => Instance | undefined): Promise<End> {
  for (const deadline = Date.now() + WORD_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const instance = look();
    const end = instance?.link?.domain?.end;
    if (end !== undefined) return { code: CLOSE.normal, reason: `the virtual machine has ended: ${end.message}` };
    if (instance === undefined || instance.pod === undefined || isFinal(instance.vmi))
      return { code: CLOSE.normal, reason: 'the virtual machine has ended' };
  }
  return { code: CLOSE.internalError, reason: `QEMU has closed its ${device.name}` };
}
