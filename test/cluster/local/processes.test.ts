import { parseStartTime, parseState } from './processes.ts';

const stat =
  '4336 (s6 (x) svscan) Z 1 4336 4336 0 -1 4194560 100 0 0 0 1 2 3 4 20 0 1 0 987654 2748416 200 18446744073709551615';

test("a process's start and state are read past a name with spaces and parentheses", () => {
  expect(parseStartTime(stat)).toBe('987654');
  expect(parseState(stat)).toBe('Z');
});
