import { type TObject, Type } from 'typebox';
import { int64, object, str, stringMap } from './build.ts';
import { VirtualMachineInstanceSpecSchema } from './vmi-spec.ts';

/** What of a VirtualMachineInstance the launcher receives: identity, and the part of the spec that a domain is made of. */
const METADATA = object('Identity of the instance.', {
  name: str('Name.'),
  namespace: str('Namespace.'),
  uid: str('UID.'),
  generation: int64('Generation of the spec.'),
  labels: stringMap('Labels.'),
  annotations: stringMap('Annotations.'),
  creationTimestamp: str('When it was created, RFC 3339.'),
  deletionTimestamp: str('When its deletion was asked for, RFC 3339.'),
  deletionGracePeriodSeconds: int64('Seconds between that and the end.'),
});

const SPEC_FIELDS = [
  'domain',
  'volumes',
  'networks',
  'accessCredentials',
  'hostname',
  'subdomain',
  'terminationGracePeriodSeconds',
  'startStrategy',
  'evictionStrategy',
  'architecture',
] as const;

const SPEC = Type.Pick(VirtualMachineInstanceSpecSchema, SPEC_FIELDS, {
  description: 'What one run of a virtual machine should be.',
});

export const LauncherVmiSchema: TObject = object('A VirtualMachineInstance as far as its launcher needs to know it.', {
  metadata: METADATA,
  spec: SPEC,
});
