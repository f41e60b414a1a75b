import {
  KubeVirtSchema,
  VirtualMachineInstanceMigrationSchema,
  VirtualMachineInstanceSchema,
  VirtualMachineSchema,
} from '../../libs/api/src/schemas/index.ts';

export interface PrinterColumn {
  name: string;
  type: 'string' | 'date';
  jsonPath: string;
  description?: string;
  priority?: number;
}

export interface CrdKind {
  kind: string;
  plural: string;
  singular: string;
  shortNames: string[];
  schema: object;
  /** Whether status is a subresource, written apart from the rest. */
  status: boolean;
  columns: PrinterColumn[];
}

const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const column = (name: string, jsonPath: string, description?: string): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath,
  ...(description === undefined ? {} : { description }),
});
const condition = (type: string) => `.status.conditions[?(@.type=='${type}')].status`;
const wide = (one: PrinterColumn): PrinterColumn => ({ ...one, priority: 1 });

export const KINDS: CrdKind[] = [
  {
    kind: 'VirtualMachine',
    plural: 'virtualmachines',
    singular: 'virtualmachine',
    shortNames: ['vm', 'vms'],
    schema: VirtualMachineSchema,
    status: true,
    columns: [
      age,
      column('Status', '.status.printableStatus', 'How the virtual machine is, in one word'),
      column('Ready', condition('Ready')),
    ],
  },
  {
    kind: 'VirtualMachineInstance',
    plural: 'virtualmachineinstances',
    singular: 'virtualmachineinstance',
    shortNames: ['vmi', 'vmis'],
    schema: VirtualMachineInstanceSchema,
    // Clients write and read the status of an instance with the object; the webhook guards it.
    status: false,
    columns: [
      age,
      column('Phase', '.status.phase'),
      column('IP', '.status.interfaces[0].ipAddress'),
      column('NodeName', '.status.nodeName'),
      column('Ready', condition('Ready')),
      wide(column('Live-Migratable', condition('LiveMigratable'))),
      wide(column('Paused', condition('Paused'))),
    ],
  },
  {
    kind: 'VirtualMachineInstanceMigration',
    plural: 'virtualmachineinstancemigrations',
    singular: 'virtualmachineinstancemigration',
    shortNames: ['vmim', 'vmims'],
    schema: VirtualMachineInstanceMigrationSchema,
    status: true,
    columns: [
      column('Phase', '.status.phase', 'Where the migration stands'),
      column('VMI', '.spec.vmiName', 'The instance that is migrated'),
    ],
  },
  {
    kind: 'KubeVirt',
    plural: 'kubevirts',
    singular: 'kubevirt',
    shortNames: ['kv', 'kvs'],
    schema: KubeVirtSchema,
    status: true,
    columns: [age, column('Phase', '.status.phase')],
  },
];
