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

/**
 * The rows of one machine, in their order: each begins where the one before has left the machine. Stories run at the
 * same time, as their machines do not know each other; each row is a test of its own all the same.
 * @returns what begins the story; tests wait for their rows
 */
export function story(name: string, rows: readonly Row[]): () => void {
  const done = new Map<string, Promise<void>>();
  describe(name, () => {
    test.each(rows.map(([title]) => title))('%s', (title) => done.get(title), 300_000);
  });
  return () => {
    let before: Promise<unknown> = Promise.resolve();
    for (const [title, run] of rows) {
      const row = before.then(run);
      // The row's own test tells; here it only must not end the process.
      row.catch(() => {});
      done.set(title, row);
      before = row.catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(why.startsWith('not run') ? why : `not run: "${title}" failed before: ${why}`);
      });
      before.catch(() => {});
    }
  };
}
