/** Runs one task at a time, in the order in which they came. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  async run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(task, task);
    this.#tail = turn.catch(() => {});
    return turn;
  }
}
