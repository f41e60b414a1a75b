import { add, closingLine, fromJest, none } from './counts.ts';

test('a file that cannot be loaded is a failure, a todo is skipped', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    numRuntimeErrorTestSuites: 1,
  };
  expect(fromJest(JSON.stringify(report))).toEqual({ passed: 5, failed: 2, skipped: 3 });
});

test.each([
  [none, '0 passed, 0 failed'],
  [{ passed: 3, failed: 1, skipped: 0 }, '3 passed, 1 failed'],
  [add({ passed: 1, failed: 0, skipped: 1 }, { passed: 1, failed: 0, skipped: 1 }), '2 passed, 0 failed, 2 skipped'],
])('%j closes as "%s"', (counts, line) => {
  expect(closingLine(counts)).toBe(line);
});
