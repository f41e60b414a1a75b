/** How the tests of a suite ended. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const none: Counts = { passed: 0, failed: 0, skipped: 0 };

export function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** What jest's `--json` report says. A test file that could not even be loaded counts as a failure. */
export function fromJest(report: string): Counts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = JSON.parse(
    report,
  ) as Record<string, number>;
  return {
    passed: numPassedTests ?? 0,
    failed: (numFailedTests ?? 0) + (numRuntimeErrorTestSuites ?? 0),
    skipped: (numPendingTests ?? 0) + (numTodoTests ?? 0),
  };
}

/** The closing line, read by people and by CI. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
