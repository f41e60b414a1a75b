/** What a piece of the guest's console tells of the guest. */
export interface SerialSigns {
  /** The line in which the kernel says that it has panicked. */
  panic: string | undefined;
  /** It says that it shuts down or restarts. */
  goingDown: boolean;
  /** A kernel has begun: what was told before is of another run. */
  booted: boolean;
}

/** At the beginning of its line, behind time and CPU: whoever shows an old log shows more before it. */
const PANIC = /^(?:\[[^\]]*\]\s*)*(Kernel panic - not syncing[^\r]*)/;
const BOOT = /^(?:\[[^\]]*\]\s*)*Linux version /;
/** Linux itself, systemd, and busybox. */
const GOING_DOWN =
  /reboot: (?:Restarting system|Power down)|Reached target .*(?:Shutdown|Reboot|Power[- ]?Off)|The system is going down NOW/i;
/** A guest writes what it likes: of a longer line only the beginning is read. */
const LONGEST_LINE = 1_000;

/** Reads a console piece by piece; a line may come in two of them. */
export class SerialReader {
  #rest = '';

  read(piece: string): SerialSigns {
    const lines = (this.#rest + piece).split('\n').map((line) => line.slice(0, LONGEST_LINE));
    this.#rest = lines.at(-1) ?? '';
    const signs: SerialSigns = { panic: undefined, goingDown: false, booted: false };
    for (const line of lines) {
      if (BOOT.test(line)) Object.assign(signs, { panic: undefined, goingDown: false, booted: true });
      signs.panic ??= PANIC.exec(line)?.[1]?.trim();
      signs.goingDown ||= GOING_DOWN.test(line);
    }
    return signs;
  }

  /** What comes next has nothing to do with what came before. */
  reset(): void {
    this.#rest = '';
  }
}
