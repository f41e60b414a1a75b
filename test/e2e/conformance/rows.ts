import type { Machine } from './machine.ts';

/** One line of a table: what is so, what is done, what follows. The title tells all three. */
export type Row = [title: string, run: () => Promise<void>];

/** A row that is nothing but a call and its answer. */
export const answers = (
  machine: Machine,
  situation: string,
  call: 'start' | 'stop' | 'restart',
  answer: string,
  body: object = {},
): Row => [
  `${situation}, ${call} ${JSON.stringify(body)} → ${answer}`,
  async () => expect(await machine.call(call, body)).toBe(answer),
];

/** Runs the rows of one machine, to their end or to the first that fails. */
export type Story = () => Promise<void>;

/**
 * The rows of one machine, in their order: each begins where the one before has left the machine. Each is a test of its
 * own all the same, which waits until its row has been run.
 */
export function story(name: string, rows: readonly Row[]): Story {
  const tests = rows.map(([title, run]) => ({ title, run, done: Promise.withResolvers<void>() }));
  // The row's own test tells what failed; a row that nobody waits for yet must not end the process.
  for (const { done } of tests) done.promise.catch(() => {});
  describe(name, () => {
    test.each(tests)('$title', ({ done }) => done.promise, 600_000);
  });
  return async () => {
    let failed: string | undefined;
    for (const { title, run, done } of tests) {
      if (failed) done.reject(new Error(`not run, as "${failed}" failed before`));
      else {
        await run().then(done.resolve, (error: unknown) => {
          failed = title;
          done.reject(error);
        });
      }
    }
  };
}

/** Tells the stories, a few at a time: machines do not know each other, but they share processors. */
export async function tell(stories: readonly Story[], atOnce: number): Promise<void> {
  const left = [...stories];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await next();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
