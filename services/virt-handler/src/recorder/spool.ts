import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type RunHead, readHead, type SpooledRun } from '@yagura/layers/timeline';

export type RunName = Pick<RunHead, 'namespace' | 'name' | 'uid'>;

const ENDING = '.jsonl';
/** A file that no reader of this version understands, set aside. */
const UNREAD = '.unread';
/** Of a file that is being written. */
const NEW = '.new';
/** The first line is within this. */
const HEAD_BYTES = 2048;
/** No name that Kubernetes gives leads out of its directory. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9.-]*$/;

/**
 * Timelines on the node, a file of lines a run: `NAMESPACE/NAME/UID.jsonl`. One thing at a time, so that a disk that
 * hangs holds up no more than one of the process's few threads.
 */
export class Spool {
  readonly #directory: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The lines of a run; undefined when there are none. A last line without an end is left out by its reader. */
  async read(run: RunName): Promise<string[] | undefined> {
    return this.#next(async () => (await absent(readFile(this.#path(run), 'utf8')))?.split('\n'));
  }

  /** Which run it is, by its first line alone. */
  async head(run: RunName): Promise<RunHead | undefined> {
    return this.#next(async () => {
      const file = await absent(open(this.#path(run)));
      if (file === undefined) return undefined;
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
        return readHead(buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '');
      } finally {
        await file.close();
      }
    });
  }

  /** Adds lines; answers how many bytes they take, undefined where there is no file to add to: lines need their head. */
  async add(run: RunName, lines: readonly string[]): Promise<number | undefined> {
    const text = textOf(lines);
    return this.#next(async () => {
      const file = await absent(open(this.#path(run), constants.O_WRONLY | constants.O_APPEND));
      if (file === undefined) return undefined;
      try {
        await file.appendFile(text);
      } finally {
        await file.close();
      }
      return Buffer.byteLength(text);
    });
  }

  /** Keeps a file that nobody understands out of the way of what is written next. */
  async setAside(run: RunName): Promise<void> {
    await this.#next(() => absent(rename(this.#path(run), `${this.#path(run)}${UNREAD}`)));
  }

  /** Puts lines in the place of all that there were: whole, or not at all. Answers how many bytes they take. */
  async replace(run: RunName, lines: readonly string[]): Promise<number> {
    const text = textOf(lines);
    await this.#next(async () => {
      const path = this.#path(run);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(`${path}${NEW}`, text, { mode: 0o600 });
      await rename(`${path}${NEW}`, path);
    });
    return Buffer.byteLength(text);
  }

  /** Removes a run, and its directories when they are empty then. */
  async remove(run: RunName & Pick<SpooledRun, 'unread'>): Promise<void> {
    await this.#next(async () => {
      const path = this.#path(run);
      await rm(run.unread ? `${path}${UNREAD}` : path, { force: true });
      if (!run.unread) await rm(`${path}${NEW}`, { force: true });
      const left = await rmdir(dirname(path))
        .then(() => rmdir(dirname(dirname(path))))
        .catch(() => undefined);
      return left;
    });
  }

  /** The runs of one name. */
  async runsOf(namespace: string, name: string): Promise<SpooledRun[]> {
    return this.#next(() => this.#runsOf(namespace, name, [ENDING]));
  }

  /** All runs, and what was set aside. What was being written before that moment and never was is removed. */
  async runs(leftBefore: number): Promise<SpooledRun[]> {
    return this.#next(async () => {
      const found: SpooledRun[] = [];
      for (const namespace of await names(this.#directory)) {
        for (const name of await names(join(this.#directory, namespace))) {
          await this.#removeLeft(namespace, name, leftBefore);
          found.push(...(await this.#runsOf(namespace, name, [ENDING, `${ENDING}${UNREAD}`])));
        }
      }
      return found;
    });
  }

  async #runsOf(namespace: string, name: string, endings: string[]): Promise<SpooledRun[]> {
    if (![namespace, name].every((part) => NAME.test(part))) return [];
    const directory = join(this.#directory, namespace, name);
    const found: SpooledRun[] = [];
    for (const file of await names(directory)) {
      const ending = endings.find((each) => file.endsWith(each));
      const info = ending === undefined ? undefined : await absent(stat(join(directory, file)));
      if (ending === undefined || info === undefined) continue;
      const unread = ending === ENDING ? {} : { unread: true as const };
      const uid = file.slice(0, -ending.length);
      found.push({ namespace, name, uid, bytes: info.size, lastAt: info.mtimeMs, ...unread });
    }
    return found;
  }

  async #removeLeft(namespace: string, name: string, before: number): Promise<void> {
    const directory = join(this.#directory, namespace, name);
    for (const file of (await names(directory)).filter((each) => each.endsWith(`${ENDING}${NEW}`))) {
      const info = await absent(stat(join(directory, file)));
      if (info !== undefined && info.mtimeMs < before) await rm(join(directory, file), { force: true });
    }
  }

  #path({ namespace, name, uid }: RunName): string {
    for (const part of [namespace, name, uid]) if (!NAME.test(part)) throw new Error(`"${part}" is no name of a run`);
    return join(this.#directory, namespace, name, `${uid}${ENDING}`);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => {});
    return result;
  }
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

async function absent<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
}

async function names(directory: string): Promise<string[]> {
  return (await absent(readdir(directory))) ?? [];
}

function isAbsent(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
