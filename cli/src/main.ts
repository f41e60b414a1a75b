import { basename } from 'node:path';
import { KubeError } from '@yagura/kube';
import { UsageError } from './errors.ts';
import { program } from './program.ts';

const stop = new AbortController();
process.on('SIGINT', () => {
  if (stop.signal.aborted) process.exit(130);
  stop.abort();
});
// A reader that goes away (`| head`) is not an error.
process.stdout.on('error', () => process.exit(0));

try {
  await program(basename(process.argv[1] ?? '').replace(/\.[a-z]+$/, ''), stop.signal).parseAsync();
} catch (error) {
  if (!stop.signal.aborted) {
    const message =
      error instanceof KubeError
        ? error.message.replace(/^[A-Z]+ \S+: /, '')
        : error instanceof Error
          ? error.message
          : String(error);
    console.error(`error: ${message}`);
    process.exitCode = error instanceof UsageError ? 2 : process.exitCode || 1;
  }
}
// Kept-alive connections and unref'ed timers would hold the process.
process.exit();
