import { appendFile, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type RunHead, readHead, type SpooledRun } from '@yagura/layers/timeline';

export type RunName = Pick<RunHead, 'namespace' | 'name' | 'uid'>;

const ENDING = '.jsonl';
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

  /** Adds lines; answers how many bytes they take. */
  async add(run: RunName, lines: readonly string[]): Promise<number> {
    const text = textOf(lines);
    await this.#next(() => appendFile(this.#path(run), text, { mode: 0o600 }));
    return Buffer.byteLength(text);
  }

  /** Puts lines in the place of all that there were: whole, or not at all. Answers how many bytes they take. */
  async replace(run: RunName, lines: readonly string[]): Promise<number> {
    const text = textOf(lines);
    await this.#next(async () => {
      const path = this.#path(run);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(`${path}.new`, text, { mode: 0o600 });
      await rename(`${path}.new`, path);
    });
    return Buffer.byteLength(text);
  }

  /** Removes a run, and its directories when they are empty then. */
  async remove(run: RunName): Promise<void> {
    await this.#next(async () => {
      const path = this.#path(run);
      await rm(path, { force: true });
      await rm(`${path}.new`, { force: true });
      const left = await rmdir(dirname(path))
        .then(() => rmdir(dirname(dirname(path))))
        .catch(() => undefined);
      return left;
    });
  }

  /** The runs of one name. */
  async runsOf(namespace: string, name: string): Promise<SpooledRun[]> {
    return this.#next(() => this.#runsOf(namespace, name));
  }

  /** All runs. */
  async runs(): Promise<SpooledRun[]> {
    return this.#next(async () => {
      const found: SpooledRun[] = [];
      for (const namespace of await names(this.#directory)) {
        for (const name of await names(join(this.#directory, namespace))) {
          found.push(...(await this.#runsOf(namespace, name)));
        }
      }
      return found;
    });
  }

  async #runsOf(namespace: string, name: string): Promise<SpooledRun[]> {
    if (![namespace, name].every((part) => NAME.test(part))) return [];
    const directory = join(this.#directory, namespace, name);
    const found: SpooledRun[] = [];
    for (const file of (await names(directory)).filter((each) => each.endsWith(ENDING))) {
      const info = await absent(stat(join(directory, file)));
      const uid = file.slice(0, -ENDING.length);
      if (info !== undefined) found.push({ namespace, name, uid, bytes: info.size, lastAt: info.mtimeMs });
    }
    return found;
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
