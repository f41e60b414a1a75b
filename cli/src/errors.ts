export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A mistake of the caller: told without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
