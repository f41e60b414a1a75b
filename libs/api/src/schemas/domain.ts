import type { Static } from 'typebox';
import { int32, object, oneOf, str } from './build.ts';
import { CpuSchema, MemorySchema, ResourceRequirementsSchema } from './cpu-memory.ts';
import { DevicesSchema } from './devices.ts';
import { ClockSchema, FeaturesSchema } from './features.ts';
import { ChassisSchema, FirmwareSchema, LaunchSecuritySchema } from './firmware.ts';

export const MachineSchema = object('Machine the guest sees.', {
  type: str('Machine type, such as q35 or a versioned one like pc-q35-10.0.'),
});

export const DomainSchema = object(
  'The virtual machine itself: CPU, memory, firmware and devices.',
  {
    resources: ResourceRequirementsSchema,
    cpu: CpuSchema,
    memory: MemorySchema,
    machine: MachineSchema,
    firmware: FirmwareSchema,
    clock: ClockSchema,
    features: FeaturesSchema,
    ioThreadsPolicy: oneOf('How disks share I/O threads.', ['shared', 'auto', 'supplementalPool']),
    ioThreads: object('I/O threads for the policy supplementalPool.', {
      supplementalPoolThreadCount: int32('Number of I/O threads in the pool.'),
    }),
    chassis: ChassisSchema,
    launchSecurity: LaunchSecuritySchema,
    rebootPolicy: oneOf('What a reboot inside the guest does.', ['Reboot', 'Terminate']),
  },
  { devices: DevicesSchema },
);
export type Domain = Static<typeof DomainSchema>;
