/** A value of libvirt's typed parameters: int, uint and double as number; llong and ullong exact, as bigint. */
export type TypedValue = number | bigint | boolean | string;

/** Typed parameters as libvirt names them, such as `block.0.rd.bytes`. */
export type TypedParams = ReadonlyMap<string, TypedValue>;

/** What the native side hands over: name, value, name, value, … */
export function decodeTypedParams(flat: readonly TypedValue[]): TypedParams {
  const params = new Map<string, TypedValue>();
  for (let i = 0; i + 1 < flat.length; i += 2) params.set(String(flat[i]), flat[i + 1] as TypedValue);
  return params;
}

/** Reads typed parameters below a prefix. A parameter that is absent or of another type reads as undefined, never as 0. */
export class ParamReader {
  readonly #params: TypedParams;
  readonly #prefix: string;

  constructor(params: TypedParams, prefix = '') {
    this.#params = params;
    this.#prefix = prefix;
  }

  at(prefix: string | number): ParamReader {
    return new ParamReader(this.#params, `${this.#prefix}${prefix}.`);
  }

  string(name: string): string | undefined {
    const value = this.#params.get(this.#prefix + name);
    return typeof value === 'string' ? value : undefined;
  }

  bool(name: string): boolean | undefined {
    const value = this.#params.get(this.#prefix + name);
    return typeof value === 'boolean' ? value : undefined;
  }

  /** A small integer or a double. */
  number(name: string): number | undefined {
    const value = this.#params.get(this.#prefix + name);
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
    return typeof value === 'number' ? value : undefined;
  }

  /** A 64-bit counter, exact. */
  big(name: string): bigint | undefined {
    const value = this.#params.get(this.#prefix + name);
    if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
    return typeof value === 'bigint' ? value : undefined;
  }

  /** The items `0.`, `1.`, … below `name`, as many as `name.count` says. */
  list<T>(name: string, read: (item: ParamReader, index: number) => T): T[] | undefined {
    const count = this.at(name).number('count');
    if (count === undefined) return undefined;
    return Array.from({ length: count }, (_, index) => read(this.at(name).at(index), index));
  }

  /** True when any parameter starts with this reader's prefix. */
  get present(): boolean {
    for (const name of this.#params.keys()) if (name.startsWith(this.#prefix)) return true;
    return false;
  }
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Drops the properties that are undefined, so that an absent figure is an absent property. */
export function compact<T extends object>(object: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
}
