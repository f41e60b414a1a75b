import { type CallOptions, call } from './call.ts';
import { HandleClosedError } from './errors.ts';
import { type DomainHandle, native, type OfDomain } from './native.ts';

/** The handle of one domain: who it is, whether it may still be used, and how its calls are made. */
export class DomainCore {
  readonly name: string;
  readonly uuid: string;
  readonly #handle: DomainHandle;
  readonly #defaults: CallOptions;
  readonly #connectionOpen: () => boolean;
  #closed = false;

  constructor(handle: DomainHandle, name: string, uuid: string, defaults: CallOptions, connectionOpen: () => boolean) {
    this.#handle = handle;
    this.name = name;
    this.uuid = uuid;
    this.#defaults = defaults;
    this.#connectionOpen = connectionOpen;
  }

  /** True until close() of this handle or of its connection. */
  get open(): boolean {
    return !this.#closed && this.#connectionOpen();
  }

  /** Gives the handle back; the domain itself is not touched. A second close() does nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    native().domainClose(this.#handle);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A call with the connection's default bound. */
  protected invoke<A extends unknown[], N>(
    name: string,
    submit: OfDomain<A, N>,
    args: A,
    options: CallOptions,
  ): Promise<N> {
    return this.invokeUnbounded(name, submit, args, { ...this.#defaults, ...options });
  }

  /** A call that may take as long as it takes, unless `options` bound it. */
  protected invokeUnbounded<A extends unknown[], N>(
    name: string,
    submit: OfDomain<A, N>,
    args: A,
    options: CallOptions,
  ): Promise<N> {
    const handle = this.#live(name);
    return call<N>(`Domain.${name}`, options, (done) => submit(handle, ...args, done));
  }

  #live(name: string): DomainHandle {
    if (this.#closed) throw new HandleClosedError(`Domain.${name}: the handle of domain "${this.name}" is closed`);
    if (!this.#connectionOpen()) {
      throw new HandleClosedError(`Domain.${name}: the connection of domain "${this.name}" is closed`);
    }
    return this.#handle;
  }
}
