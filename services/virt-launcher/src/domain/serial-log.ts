import { copyFile, open, stat, truncate } from 'node:fs/promises';
import { serialLog } from '@yagura/domain';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import { Mutex } from '../process/mutex.ts';
import type { RunRecordFile } from './run-record.ts';
import { SerialReader } from './serial-signs.ts';

const PERIOD_MS = 5_000;
/** Of the log, and of the one before it: what a guest writes to its console must not fill the node. */
export const SERIAL_LOG_BYTES = 2 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

export interface SerialLogDependencies {
  privateDirectory: string;
  record: RunRecordFile;
  log: Logger;
  onChange: () => void;
}

/** What the console has told since the guest was last started or reset. */
export interface SerialView {
  at: Date;
  panic: { line: string; at: Date } | undefined;
  goingDownAt: Date | undefined;
}

/**
 * Keeps the log of the serial console small, and reads what is new in it. QEMU appends, so it goes on at the beginning of
 * an emptied file.
 */
export class SerialLog {
  readonly #deps: SerialLogDependencies;
  readonly #one = new Mutex();
  readonly #reader = new SerialReader();
  #offset: number | undefined;
  #view: SerialView | undefined;

  constructor(deps: SerialLogDependencies) {
    this.#deps = deps;
  }

  /** undefined where there is no log. */
  get view(): SerialView | undefined {
    return this.#view;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(PERIOD_MS, signal);
      await this.look();
    }
  }

  /** Reads what is new, and sets a full log aside, in place of the one before. Without a log it does nothing. */
  async look(): Promise<void> {
    await this.#alone(async (path, size, changedAt) => {
      const before = JSON.stringify([this.#view?.panic, this.#view?.goingDownAt]);
      await this.#read(path, size, changedAt);
      if (size > SERIAL_LOG_BYTES) {
        await copyFile(path, `${path}.0`);
        await truncate(path);
        this.#begin(0);
      }
      if (JSON.stringify([this.#view?.panic, this.#view?.goingDownAt]) !== before) this.#deps.onChange();
    });
  }

  /** The guest was reset: what it said before is over, also for a launcher that starts later. */
  async noteReset(): Promise<void> {
    await this.#alone(async (_path, size) => {
      this.#begin(size);
      this.#reader.reset();
      this.#view = { at: new Date(), panic: undefined, goingDownAt: undefined };
    });
  }

  #begin(offset: number): void {
    this.#offset = offset;
    this.#deps.record.note({ serialFrom: offset || undefined });
  }

  async #read(path: string, size: number, changedAt: Date): Promise<void> {
    let offset = this.#offset ?? this.#deps.record.record?.serialFrom ?? 0;
    // A launcher that starts reads what another has read before: no sign is younger than the log.
    const toldAt = this.#offset === undefined ? changedAt : new Date();
    // Emptied by somebody else.
    if (offset > size) offset = 0;
    // A guest that writes faster than it is read.
    if (size - offset > SERIAL_LOG_BYTES) {
      offset = size - SERIAL_LOG_BYTES;
      this.#reader.reset();
    }
    let view: SerialView = { at: new Date(), panic: this.#view?.panic, goingDownAt: this.#view?.goingDownAt };
    if (offset < size) {
      const file = await open(path);
      try {
        const buffer = Buffer.alloc(CHUNK_BYTES);
        while (offset < size) {
          const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, offset);
          if (bytesRead === 0) break;
          offset += bytesRead;
          const signs = this.#reader.read(buffer.toString('latin1', 0, bytesRead));
          if (signs.booted) view = { ...view, panic: undefined, goingDownAt: undefined };
          view = { ...view, panic: panicOf(view, signs.panic, toldAt) };
          if (signs.goingDown) view = { ...view, goingDownAt: toldAt };
        }
      } finally {
        await file.close();
      }
    }
    this.#offset = offset;
    this.#view = view;
  }

  async #alone(work: (path: string, size: number, changedAt: Date) => Promise<void>): Promise<void> {
    const uid = this.#deps.record.record?.uid;
    if (uid === undefined) return;
    const path = serialLog(this.#deps.privateDirectory, uid);
    try {
      await this.#one.run(async () => {
        const file = await stat(path).catch(() => undefined);
        if (file !== undefined) await work(path, file.size, file.mtime);
      });
    } catch (error) {
      this.#deps.log.debug(
        { error: errorMessage(error) },
        'the log of the serial console cannot be read or kept small',
      );
    }
  }
}

/** The first panic counts; more of its line may come later. */
function panicOf({ panic }: SerialView, line: string | undefined, toldAt: Date): SerialView['panic'] {
  if (line === undefined || (panic !== undefined && !line.startsWith(panic.line))) return panic;
  return { line, at: panic?.at ?? toldAt };
}
