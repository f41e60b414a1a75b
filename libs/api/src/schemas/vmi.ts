import type { Static } from 'typebox';
import type { ObjectMeta } from '../kubernetes.ts';
import { object, objectMeta, str } from './build.ts';
import { VirtualMachineInstanceSpecSchema } from './vmi-spec.ts';
import { VirtualMachineInstanceStatusSchema } from './vmi-status.ts';

export const typeMeta = {
  apiVersion: str('Group and version of this representation.'),
  kind: str('Kind of this object.'),
};

export const VirtualMachineInstanceSchema = object(
  'One run of a virtual machine, from its start to its end.',
  { ...typeMeta, status: VirtualMachineInstanceStatusSchema },
  { metadata: objectMeta<ObjectMeta>(), spec: VirtualMachineInstanceSpecSchema },
);
export type VirtualMachineInstance = Static<typeof VirtualMachineInstanceSchema>;
