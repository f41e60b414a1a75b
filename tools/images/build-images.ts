import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec, tryExec } from '../../test/cluster/exec.ts';
import { ensurePackages, packages } from '../../test/cluster/packages.ts';
import { buildBundles } from '../build.ts';
import { root } from '../exec.ts';
import { BASE, makeBase } from './base.ts';
import { hashContext, listContext, stageContext } from './context.ts';
import { buildah, docker, type Engine, type ImageInfo } from './engine.ts';
import { type ImageSpec, selectSpecs } from './specs.ts';

export interface BuildImagesOptions {
  /** Names of images; all when absent. */
  readonly only?: readonly string[];
  /** `dev` when absent. */
  readonly tag?: string;
  /** A registry, perhaps with a path, to push REGISTRY/yagura/NAME:TAG to. */
  readonly push?: string;
  /** Told what is being done, a line at a time. */
  readonly note?: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface BuiltImage {
  readonly name: string;
  /** As in a Pod: localhost/yagura/NAME:TAG. */
  readonly reference: string;
  /** Importable by containerd and Docker. Beside it, NAME.digest holds the image's id. */
  readonly archive: string;
  readonly digest: string;
  /** unchanged: nothing was done. exported: it was in the builder's store. built: it was built. */
  readonly outcome: 'unchanged' | 'exported' | 'built';
  readonly seconds: number;
}

interface Builder {
  readonly engine: Engine;
  readonly baseId: string;
  readonly tag: string;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal | undefined;
  /** An archive is not enough then: the builder's store must have the image too. */
  readonly isPushed: boolean;
}

const output = join(root, '.local/images');
const INPUTS_LABEL = 'dev.yagura.inputs';

/** Builds the project's images, those whose inputs changed, and leaves an archive of each in .local/images. */
export async function buildImages(options: BuildImagesOptions = {}): Promise<BuiltImage[]> {
  const { tag = 'dev', note = () => {}, signal } = options;
  const chosen = selectSpecs(options.only);
  mkdirSync(output, { recursive: true });
  await buildBundles();
  const engine = await chooseEngine(note, signal);
  const baseId = await ensureBase(engine, note, signal);
  const builder = { engine, baseId, tag, note, signal, isPushed: options.push !== undefined };
  const built: BuiltImage[] = [];
  for (const spec of chosen) {
    const image = await buildOne(builder, spec);
    note(`${image.reference}: ${image.outcome} in ${image.seconds.toFixed(1)} s`);
    if (options.push !== undefined) await pushOne(builder, image, `${options.push}/yagura/${spec.name}:${tag}`);
    built.push(image);
  }
  return built;
}

async function chooseEngine(note: (text: string) => void, signal?: AbortSignal): Promise<Engine> {
  if ((await answers(['docker', 'info'], signal)) !== undefined) return docker;
  const done = await ensurePackages(packages.images, note, signal ?? new AbortController().signal);
  if (done !== 'already there') note(done);
  return buildah;
}

/** undefined also where there is no such program. */
async function answers([command = '', ...args]: string[], signal?: AbortSignal): Promise<string | undefined> {
  return tryExec(command, args, {}, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (error instanceof Error && error.message.includes('not found')) return undefined;
    throw error;
  });
}

async function inspect(engine: Engine, reference: string, signal?: AbortSignal): Promise<ImageInfo | undefined> {
  const stdout = await answers(engine.inspect(reference), signal);
  return stdout === undefined ? undefined : engine.readInspect(stdout);
}

/** Docker fetches the base itself; buildah's is made once a machine. */
async function ensureBase(engine: Engine, note: (text: string) => void, signal?: AbortSignal): Promise<string> {
  if (engine.name === 'docker') return BASE;
  const present = await inspect(engine, BASE, signal);
  if (present !== undefined) return present.id;
  note(`${BASE}: made from the Debian archive`);
  await makeBase(signal);
  const made = await inspect(engine, BASE, signal);
  if (made === undefined) throw new Error(`${BASE} was made, but the builder does not have it`);
  return made.id;
}

async function buildOne(
  { engine, baseId, tag, note, signal, isPushed }: Builder,
  spec: ImageSpec,
): Promise<BuiltImage> {
  const begin = performance.now();
  const reference = `localhost/yagura/${spec.name}:${tag}`;
  const files = listContext(root, spec);
  const inputs = hashContext(files, [engine.name, baseId]);
  const archive = join(output, `${spec.name}.tar`);
  const digestFile = join(output, `${spec.name}.digest`);
  const stateFile = join(output, `${spec.name}.inputs`);
  const state = `${reference} ${inputs}`;
  const done = (outcome: BuiltImage['outcome'], digest: string): BuiltImage => ({
    name: spec.name,
    reference,
    archive,
    digest,
    outcome,
    seconds: (performance.now() - begin) / 1000,
  });
  const isArchived =
    existsSync(archive) && existsSync(digestFile) && existsSync(stateFile) && readFileSync(stateFile, 'utf8') === state;
  if (isArchived && !isPushed) return done('unchanged', readFileSync(digestFile, 'utf8').trim());
  let image = await inspect(engine, reference, signal);
  const isCurrent = image?.labels[INPUTS_LABEL] === inputs;
  if (isArchived && isCurrent && image !== undefined) return done('unchanged', image.id);
  if (!isCurrent) {
    note(`${reference}: building`);
    image = await build(engine, spec, reference, inputs, files, signal);
  }
  if (image === undefined) throw new Error(`${reference} was built, but ${engine.name} does not have it`);
  rmSync(stateFile, { force: true });
  const fresh = `${archive}.${process.pid}`;
  const [command = '', ...args] = engine.save(reference, fresh);
  try {
    await exec(command, args, { log: 'images.log' }, signal);
    renameSync(fresh, archive);
  } finally {
    rmSync(fresh, { force: true });
  }
  writeFileSync(digestFile, `${image.id}\n`);
  writeFileSync(stateFile, state);
  return done(isCurrent ? 'exported' : 'built', image.id);
}

async function build(
  engine: Engine,
  spec: ImageSpec,
  reference: string,
  inputs: string,
  files: ReturnType<typeof listContext>,
  signal: AbortSignal | undefined,
): Promise<ImageInfo | undefined> {
  // Of this process: another one may be building the same image.
  const context = join(output, 'context', `${spec.name}.${process.pid}`);
  const before = await inspect(engine, reference, signal);
  stageContext(files, context);
  const labels = { [INPUTS_LABEL]: inputs };
  const containerfile = join(context, spec.containerfile);
  const [command = '', ...args] = engine.build({ containerfile, context, reference, labels });
  try {
    await exec(command, args, { log: 'images.log' }, signal);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
  const after = await inspect(engine, reference, signal);
  // The image that lost its name to this one; layers that others share stay.
  if (before !== undefined && before.id !== after?.id) await answers([engine.name, 'rmi', before.id], signal);
  return after;
}

async function pushOne({ engine, note, signal }: Builder, image: BuiltImage, target: string): Promise<void> {
  for (const [command = '', ...args] of engine.push(image.reference, target)) {
    await exec(command, args, { log: 'images.log' }, signal);
  }
  note(`pushed ${target}`);
}
