import { copyFile, stat, truncate } from 'node:fs/promises';
import { serialLog } from '@yagura/domain';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';

const PERIOD_MS = 5_000;
/** Of the log, and of the one before it: what a guest writes to its console must not fill the node. */
export const SERIAL_LOG_BYTES = 2 * 1024 * 1024;

export interface SerialLogDependencies {
  privateDirectory: string;
  /** UID of the instance; undefined before there is one. */
  uid: () => string | undefined;
  log: Logger;
}

/** Keeps the log of the serial console small. QEMU appends, so it goes on at the beginning of an emptied file. */
export class SerialLog {
  readonly #deps: SerialLogDependencies;

  constructor(deps: SerialLogDependencies) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(PERIOD_MS, signal);
      await this.rotate().catch((error: unknown) =>
        this.#deps.log.debug({ error: errorMessage(error) }, 'the log of the serial console cannot be kept small'),
      );
    }
  }

  /** Sets a full log aside, in place of the one before. Without a log it does nothing. */
  async rotate(): Promise<void> {
    const uid = this.#deps.uid();
    if (uid === undefined) return;
    const path = serialLog(this.#deps.privateDirectory, uid);
    const size = await stat(path).then(
      (file) => file.size,
      () => 0,
    );
    if (size <= SERIAL_LOG_BYTES) return;
    await copyFile(path, `${path}.0`);
    await truncate(path);
  }
}
