/** A number of places, of which each piece of work takes some, in the order in which they came. */
export class Places {
  readonly #count: number;
  #free: number;
  #queue: { wanted: number; go: () => void }[] = [];

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /** Does the work once so many places are free; more than there are at all count as all. */
  async during<T>(places: number, work: () => Promise<T>): Promise<T> {
    const wanted = Math.min(places, this.#count);
    await new Promise<void>((go) => {
      this.#queue.push({ wanted, go });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#free += wanted;
      this.#admit();
    }
  }

  #admit(): void {
    for (let next = this.#queue[0]; next && next.wanted <= this.#free; next = this.#queue[0]) {
      this.#queue.shift();
      this.#free -= next.wanted;
      next.go();
    }
  }
}
