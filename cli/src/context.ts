import { KubeClient } from '@yagura/kube';

/** What every command works with. */
export interface CliContext {
  /** Connects at the first use, so that `--help` needs no cluster. */
  client(): Promise<KubeClient>;
  out(text: string): void;
  err(text: string): void;
  /** What the process ends with; after a failure too, unless it is 0. */
  exitCode(code: number): void;
  /** Whether a person reads the output. */
  interactive: boolean;
  signal: AbortSignal;
}

export interface ConnectOptions {
  kubeconfig?: string;
  context?: string;
}

export function cliContext(options: () => ConnectOptions, signal: AbortSignal): CliContext {
  let client: Promise<KubeClient> | undefined;
  return {
    client: () => (client ??= KubeClient.load({ ...options(), userAgent: 'yagura-cli' })),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    exitCode: (code) => {
      process.exitCode = code;
    },
    interactive: process.stdout.isTTY && !process.env['NO_COLOR'],
    signal,
  };
}
