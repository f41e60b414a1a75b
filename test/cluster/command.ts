import { existsSync } from 'node:fs';
import type { Display } from './display.ts';
import { createDisplay, seconds } from './display.ts';
import { tryExec } from './exec.ts';
import { takeLock } from './lock.ts';
import type { Options, ProviderName } from './options.ts';
import { parseOptions, UsageError, usage } from './options.ts';
import { checkout, clusterFile } from './paths.ts';

export interface CommandContext {
  readonly options: Options;
  readonly display: Display;
  readonly signal: AbortSignal;
}

async function dockerAnswers(): Promise<boolean> {
  return (await tryExec('docker', ['info', '--format', '{{.ServerVersion}}']).catch(() => undefined)) !== undefined;
}

/** The one that made the cluster there is; else kind, where Docker is. */
async function defaultProvider(): Promise<ProviderName> {
  return !existsSync(clusterFile) && (await dockerAnswers()) ? 'kind' : 'local';
}

/** The frame of `up` and `down`: options, the machine's lock, signals, and how it ends. */
export async function command(name: 'up' | 'down', body: (context: CommandContext) => Promise<void>): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    return;
  }
  const started = Date.now();
  const abort = new AbortController();
  let interrupted: NodeJS.Signals | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupted ??= signal;
      abort.abort(new Error(`interrupted by ${signal}`));
    });
  }
  let display: Display | undefined;
  try {
    const options = parseOptions(args, await defaultProvider());
    if (options.provider === 'local' && process.getuid?.() !== 0)
      throw new Error(`the local provider makes namespaces, mounts and cgroups: run it as root (sudo npm run ${name})`);
    const lock = await takeLock(`npm run ${name} in ${checkout}, process ${process.pid}`);
    display = createDisplay(process.stdout);
    await body({ options, display, signal: abort.signal });
    await lock.release();
    display.close();
    console.log(`${name}: done in ${seconds(Date.now() - started)}`);
  } catch (error) {
    display?.close();
    if (interrupted !== undefined) {
      console.error(`${name}: interrupted; the next up or down takes it from here`);
      process.exit(interrupted === 'SIGINT' ? 130 : 143);
    }
    console.error(error instanceof Error ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}
