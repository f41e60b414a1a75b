/** The message of whatever was thrown, with the messages of its causes behind it. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorMessage).join('; ');
  if (error.cause === undefined) return error.message;
  return `${error.message}: ${errorMessage(error.cause)}`;
}
