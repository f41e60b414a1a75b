/** A named condition that must hold for the program to be of use: undefined when it does, else what is wrong. */
export type HealthCheck = () => string | undefined;

/** The health of a program as the sum of named checks, all of which are reported. */
export class Health {
  readonly #checks = new Map<string, HealthCheck>();

  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** Every check that fails, as `name: what is wrong`. */
  failures(): string[] {
    const failures: string[] = [];
    for (const [name, check] of this.#checks) {
      const wrong = check();
      if (wrong !== undefined) failures.push(`${name}: ${wrong}`);
    }
    return failures;
  }
}
