import type { VirtualMachineInstance } from '@yagura/api';

// Names for the parts of an instance that the converter reads.
export type Vmi = VirtualMachineInstance;
export type VmiSpec = NonNullable<Vmi['spec']>;
export type DomainSpec = NonNullable<VmiSpec['domain']>;
export type Devices = NonNullable<DomainSpec['devices']>;
export type Disk = NonNullable<Devices['disks']>[number];
export type Interface = NonNullable<Devices['interfaces']>[number];
export type Volume = NonNullable<VmiSpec['volumes']>[number];
