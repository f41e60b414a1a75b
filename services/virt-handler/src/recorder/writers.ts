import type { VirtualMachineInstance } from '@yagura/api';
import { withoutManagedFields } from '@yagura/kube';

interface ManagedFields {
  manager?: string;
  time?: string;
  fieldsV1?: { 'f:status'?: Record<string, unknown> };
}

/** Who wrote which part of the status of an instance last: what `managedFields` says, kept without keeping those. */
export class Writers {
  readonly #managers = new WeakMap<object, Map<string, string>>();

  /** The instance as it is to be stored, without its managed fields. */
  trim(vmi: VirtualMachineInstance): VirtualMachineInstance {
    const trimmed = withoutManagedFields(vmi);
    this.#managers.set(trimmed, managersOf(vmi));
    return trimmed;
  }

  /** The field manager behind a field of the layer report, as `vmi.condition.Ready`; undefined when nobody is named. */
  of(vmi: VirtualMachineInstance, field: string): string | undefined {
    const [owner, key = ''] = field.split('.');
    if (owner !== 'vmi') return undefined;
    return this.#managers.get(vmi)?.get(key === 'condition' ? 'conditions' : key);
  }
}

/** By key of the status; of several the one that wrote last. */
function managersOf({ metadata }: VirtualMachineInstance): Map<string, string> {
  const { managedFields = [] } = metadata as { managedFields?: ManagedFields[] };
  const byTime = [...managedFields].sort((a, b) => (a.time ?? '').localeCompare(b.time ?? ''));
  return new Map(
    byTime.flatMap(({ manager, fieldsV1 }) =>
      Object.keys(manager === undefined ? {} : (fieldsV1?.['f:status'] ?? {})).map((key): [string, string] => [
        key.replace(/^f:/, ''),
        manager ?? '',
      ]),
    ),
  );
}
