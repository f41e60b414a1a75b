export interface Line {
  note(text: string): void;
  done(remark: string | undefined): void;
  failed(word: string): void;
}

export interface Display {
  start(name: string): Line;
  /** A line of its own, above what is live. */
  say(text: string): void;
  close(): void;
}

interface Out {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

export function seconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

export function stepLine(mark: string, name: string, ms: number, remark: string): string {
  return `${mark} ${name.padEnd(34)} ${seconds(ms).padStart(12)}${remark === '' ? '' : `   ${remark}`}`;
}

/** On a terminal the steps at work stay at the bottom, with their running time; elsewhere each step is one line when it ends. */
export function createDisplay(out: Out, now: () => number = Date.now): Display {
  const live = new Map<number, { name: string; since: number; note: string }>();
  let next = 0;
  let shown = 0;
  let frame = 0;
  const colour = (code: number, text: string): string => (out.isTTY === true ? `\x1b[${code}m${text}\x1b[0m` : text);
  const clear = (): string => (shown === 0 ? '' : `\x1b[${shown}A\x1b[0J`);
  const draw = (above: string): void => {
    if (out.isTTY !== true) {
      if (above !== '') out.write(`${above}\n`);
      return;
    }
    const width = out.columns ?? 100;
    const lines = [...live.values()].map((line) =>
      stepLine(spinner[frame % spinner.length] ?? '', line.name, now() - line.since, line.note).slice(0, width - 1),
    );
    out.write(`${clear()}${above === '' ? '' : `${above}\n`}${lines.map((line) => `${line}\n`).join('')}`);
    shown = lines.length;
  };
  const timer = setInterval(() => {
    frame++;
    if (out.isTTY === true && live.size > 0) draw('');
  }, 120);
  timer.unref();
  return {
    start(name) {
      const id = next++;
      const line = { name, since: now(), note: '' };
      live.set(id, line);
      draw('');
      const end = (mark: string, remark: string): void => {
        live.delete(id);
        draw(stepLine(mark, name, now() - line.since, remark));
      };
      return {
        note(text) {
          line.note = text;
        },
        done: (remark) => end(colour(32, '✔'), remark ?? ''),
        failed: (word) => end(colour(31, '✘'), word),
      };
    },
    say: (text) => draw(text),
    close() {
      clearInterval(timer);
      draw('');
    },
  };
}
