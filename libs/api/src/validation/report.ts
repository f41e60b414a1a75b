/** One thing that is wrong with an object, as metav1.StatusCause says it. */
export interface Cause {
  reason: CauseReason;
  message: string;
  /** JSON path, such as `spec.domain.devices.disks[0].disk.bus`. */
  field: string;
}

export type CauseReason =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueForbidden';

/** Collects causes. Messages name the field, because most clients show nothing else. */
export class Report {
  readonly causes: Cause[] = [];

  invalid(field: string, text: string): void {
    this.add('FieldValueInvalid', field, text);
  }

  required(field: string, text: string): void {
    this.add('FieldValueRequired', field, text);
  }

  notSupported(field: string, text: string): void {
    this.add('FieldValueNotSupported', field, text);
  }

  duplicate(field: string, text: string): void {
    this.add('FieldValueDuplicate', field, text);
  }

  notFound(field: string, text: string): void {
    this.add('FieldValueNotFound', field, text);
  }

  forbidden(field: string, text: string): void {
    this.add('FieldValueForbidden', field, text);
  }

  /** A value that is not of a known set. */
  oneOf(field: string, value: string | undefined, allowed: readonly string[]): void {
    if (value !== undefined && value !== '' && !allowed.includes(value)) {
      this.notSupported(field, `is "${value}"; choose ${list(allowed)}`);
    }
  }

  /** Something of which exactly one kind must be set, such as the source of a volume. Answers that one. */
  exactlyOne<K extends string>(field: string, of: object, kinds: readonly K[]): K | undefined {
    const given = kinds.filter((kind) => (of as Partial<Record<K, unknown>>)[kind] !== undefined);
    if (given.length === 0) this.required(field, `is empty: set ${list(kinds)}`);
    if (given.length > 1) this.invalid(field, `is ${all(given)} at once; choose one`);
    return given.length === 1 ? given[0] : undefined;
  }

  /** A number that counts something. */
  notBelow(field: string, value: number | undefined, least: number): void {
    if (value !== undefined && value < least) this.invalid(field, `is ${value}; it must be at least ${least}`);
  }

  /** The second and later of equal names. */
  unique(names: readonly { field: string; value: string }[], what: string): void {
    const seen = new Map<string, string>();
    for (const { field, value } of names) {
      const first = seen.get(value);
      if (first === undefined) seen.set(value, field);
      else this.duplicate(field, `is "${value}", which is the ${what} of ${first} already`);
    }
  }

  private add(reason: CauseReason, field: string, text: string): void {
    this.causes.push({ reason, message: `${field} ${text}`, field });
  }
}

/** `a, b or c` */
export function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** `a, b and c` */
export function all(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
