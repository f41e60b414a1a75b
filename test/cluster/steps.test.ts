import type { Display } from './display.ts';
import type { Step } from './steps.ts';
import { runSteps, StepError } from './steps.ts';

function recorder(): { display: Display; said: string[] } {
  const said: string[] = [];
  const display: Display = {
    start: (name) => ({
      note: () => {},
      done: (remark) => said.push(remark === undefined ? name : `${name}: ${remark}`),
      failed: (word) => said.push(`${name}: ${word}`),
    }),
    say: () => {},
    close: () => {},
  };
  return { display, said };
}

const never = new AbortController().signal;

/** A step that ends when it is told to, or when it is stopped. */
function held(name: string, rest: Partial<Step> = {}): { step: Step; end: () => void; began: () => boolean } {
  const gate = Promise.withResolvers<undefined>();
  let began = false;
  const step: Step = {
    name,
    ...rest,
    run: ({ signal }) => {
      began = true;
      signal.addEventListener('abort', () => gate.reject(new Error('stopped')));
      return gate.promise;
    },
  };
  return { step, end: () => gate.resolve(undefined), began: () => began };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a step waits for what it comes after, and for nothing else', async () => {
  const { display, said } = recorder();
  const [slow, free] = [held('slow'), held('free')];
  const dependent = held('dependent', { after: ['slow'] });
  const all = runSteps([dependent.step, slow.step, free.step], display, never);
  await turn();
  expect([slow.began(), free.began(), dependent.began()]).toEqual([true, true, false]);
  slow.end();
  await turn();
  expect(dependent.began()).toBe(true);
  dependent.end();
  free.end();
  await all;
  expect(said).toEqual(['slow', 'dependent', 'free']);
});

test('steps of one lane run one at a time, in their order', async () => {
  const { display, said } = recorder();
  const [first, second, other] = [held('first', { lane: 'build' }), held('second', { lane: 'build' }), held('other')];
  const all = runSteps([first.step, second.step, other.step], display, never);
  await turn();
  expect([first.began(), second.began(), other.began()]).toEqual([true, false, true]);
  first.end();
  await turn();
  expect(second.began()).toBe(true);
  second.end();
  other.end();
  await all;
  expect(said).toEqual(['first', 'second', 'other']);
});

test('a failure stops the others, starts nothing more, and is the one that is reported', async () => {
  const { display, said } = recorder();
  const running = held('running');
  const later = held('later', { after: ['failing'] });
  const failing: Step = { name: 'failing', run: () => Promise.reject(new Error('no disk')) };
  const all = runSteps([running.step, failing, later.step], display, never);
  await expect(all).rejects.toThrow(new StepError('failing', new Error('no disk')));
  expect(later.began()).toBe(false);
  expect(said).toEqual(['failing: failed', 'running: stopped']);
});

test('an interruption ends the run with its own reason', async () => {
  const { display, said } = recorder();
  const interrupt = new AbortController();
  const running = held('running');
  const all = runSteps([running.step, held('next', { after: ['running'] }).step], display, interrupt.signal);
  await turn();
  interrupt.abort(new Error('interrupted by SIGINT'));
  await expect(all).rejects.toThrow('interrupted by SIGINT');
  expect(said).toEqual(['running: stopped']);
});

test('steps that wait for each other, or for none there is, are named', async () => {
  const { display } = recorder();
  const circle = [held('a', { after: ['b'] }).step, held('b', { after: ['a'] }).step];
  await expect(runSteps(circle, display, never)).rejects.toThrow('steps wait for each other: a, b');
  await expect(runSteps([held('a', { after: ['x'] }).step], display, never)).rejects.toThrow('"x"');
});
