import type { Display } from './display.ts';

export interface StepContext {
  readonly signal: AbortSignal;
  /** A few words on what the step is at, shown beside it while it works. */
  note(text: string): void;
}

export interface Step {
  readonly name: string;
  /** Names of steps that must have ended well before. */
  readonly after?: readonly string[];
  /** Steps of one lane run one at a time, e.g. builds, which take every core each. */
  readonly lane?: string;
  /** Answers a short remark for the line that stays, e.g. "already there". */
  run(context: StepContext): Promise<string | undefined>;
}

export class StepError extends Error {
  readonly step: string;
  constructor(step: string, cause: unknown) {
    super(`${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'StepError';
    this.step = step;
  }
}

/** Runs every step as soon as what it needs is done. The first failure stops the others; nothing is started after it. */
export async function runSteps(steps: readonly Step[], display: Display, signal: AbortSignal): Promise<void> {
  const names = new Set(steps.map((step) => step.name));
  for (const step of steps) {
    for (const need of step.after ?? [])
      if (!names.has(need)) throw new Error(`step "${step.name}" comes after "${need}", which is no step`);
  }
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const done = new Set<string>();
  const waiting = new Set(steps);
  const running = new Map<Step, Promise<void>>();
  let failure: StepError | undefined;

  const runOne = async (step: Step): Promise<void> => {
    const line = display.start(step.name);
    try {
      const remark = await step.run({ signal: stop, note: (text) => line.note(text) });
      line.done(remark);
      done.add(step.name);
    } catch (error) {
      const first = failure === undefined && !signal.aborted;
      line.failed(first ? 'failed' : 'stopped');
      if (first) failure = new StepError(step.name, error);
      failed.abort(error);
    } finally {
      running.delete(step);
    }
  };

  for (;;) {
    const lanes = new Set([...running.keys()].map((step) => step.lane));
    for (const step of waiting) {
      if (stop.aborted) break;
      if (!(step.after ?? []).every((need) => done.has(need))) continue;
      if (step.lane !== undefined && lanes.has(step.lane)) continue;
      lanes.add(step.lane);
      waiting.delete(step);
      running.set(step, runOne(step));
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  signal.throwIfAborted();
  if (failure !== undefined) throw failure;
  if (waiting.size > 0)
    throw new Error(`steps wait for each other: ${[...waiting].map((step) => step.name).join(', ')}`);
}
