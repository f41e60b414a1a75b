import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, fromJson, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type DomainOptionsSchema,
  type SyncVirtualMachineRequest,
  SyncVirtualMachineRequestSchema,
  VirtualMachineInstanceSchema,
} from '@yagura/contracts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const RECIPE = join(HERE, 'build-guest.sh');
/** A guest of another recipe is another guest. */
const CACHE = join(
  HERE,
  '../../../../.local/cache/test-guest',
  createHash('sha256').update(readFileSync(RECIPE)).digest('hex').slice(0, 12),
);

export const UID = '11111111-2222-3333-4444-555555555555';
const KERNEL_ARGS = 'console=ttyS0,115200 quiet no_timer_check tsc=reliable mitigations=off nokaslr cryptomgr.notests';

/** Kernel and initrd of a guest with an agent, built once for this checkout. */
export function guestKernel(): { kernelPath: string; initrdPath: string } {
  const kernelPath = join(CACHE, 'vmlinuz');
  const initrdPath = join(CACHE, 'initrd');
  if (!existsSync(initrdPath)) execFileSync('sh', [RECIPE, CACHE], { stdio: 'inherit' });
  return { kernelPath, initrdPath };
}

export interface GuestSpec {
  uid?: string;
  domain?: Record<string, JsonValue>;
  spec?: Record<string, JsonValue>;
  options?: MessageInitShape<typeof DomainOptionsSchema>;
}

/** A machine with nothing to boot from: it runs for as long as it is let. */
export function idleMachine({
  uid = UID,
  domain = {},
  spec = {},
  options = {},
}: GuestSpec = {}): SyncVirtualMachineRequest {
  const vmi = {
    metadata: { name: 'demo', namespace: 'default', uid },
    spec: { domain: { memory: { guest: '64Mi' }, devices: {}, ...domain }, ...spec },
  };
  return create(SyncVirtualMachineRequestSchema, {
    vmi: fromJson(VirtualMachineInstanceSchema, vmi),
    options: { useEmulation: true, ...options },
  });
}

/** A machine that boots Linux, gets its address by DHCP and runs the guest agent. */
export function linuxMachine(domain: GuestSpec['domain'] = {}): SyncVirtualMachineRequest {
  const lease = { bridge: 'k6t-eth0', serverAddress: '10.0.2.1', guestAddress: '10.0.2.2', prefixLength: 24 };
  const nic = { name: 'default', tapDevice: 'tap0', macAddress: '52:54:00:12:34:56', mtu: 1450 };
  return idleMachine({
    domain: {
      memory: { guest: '192Mi' },
      firmware: { kernelBoot: { kernelArgs: KERNEL_ARGS, container: { image: 'guest' } } },
      devices: {
        logSerialConsole: true,
        rng: {},
        disks: [
          { name: 'scratch', disk: { bus: 'virtio' } },
          { name: 'seed', disk: { bus: 'virtio' } },
        ],
        interfaces: [{ name: 'default', masquerade: {} }],
      },
      ...domain,
    },
    spec: {
      volumes: [
        { name: 'scratch', emptyDisk: { capacity: '64Mi' } },
        { name: 'seed', cloudInitNoCloud: { userData: '#!/bin/sh\ntouch /run/seeded\n' } },
      ],
    },
    options: {
      kernelBoot: guestKernel(),
      interfaces: [{ ...nic, dhcp: { ...lease, dnsServers: ['10.96.0.10'], hostname: 'demo' } }],
    },
  });
}
