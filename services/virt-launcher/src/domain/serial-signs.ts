/** What the guest's console tells of the guest. */
export interface SerialSigns {
  /** The line in which the kernel says that it has panicked. */
  panic: string | undefined;
  /** It says that it shuts down or restarts. */
  goingDown: boolean;
}

/** At the beginning of its line, behind time and CPU: whoever shows an old log shows more before it. */
const PANIC = /^(?:\[[^\]\r\n]*\]\s*)*(Kernel panic - not syncing[^\r\n]*)/m;
/** Linux itself, systemd, and busybox. */
const GOING_DOWN =
  /reboot: (?:Restarting system|Power down)|Reached target [^\r\n]*(?:Shutdown|Reboot|Power[- ]?Off)|The system is going down NOW/i;
const LONGEST_LINE = 1_000;

/** Reads a console piece by piece; a line may come in two of them. */
export class SerialReader {
  #rest = '';

  read(piece: string): SerialSigns {
    const text = this.#rest + piece;
    this.#rest = text.slice(text.lastIndexOf('\n') + 1).slice(-LONGEST_LINE);
    return { panic: PANIC.exec(text)?.[1]?.slice(0, LONGEST_LINE).trim(), goingDown: GOING_DOWN.test(text) };
  }

  /** What comes next has nothing to do with what came before. */
  reset(): void {
    this.#rest = '';
  }
}
