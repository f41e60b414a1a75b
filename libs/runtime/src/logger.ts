import { type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/** KubeVirt's verbosity (0–9; 2 is usual) as a pino level: 3 and 4 are debug, above is trace. */
export function levelOf(verbosity: string | undefined): 'info' | 'debug' | 'trace' {
  const number = Number(verbosity ?? 2);
  if (number >= 5) return 'trace';
  return number >= 3 ? 'debug' : 'info';
}

/** JSON lines on standard output: a constant message, everything that varies in fields. Synchronous, so a crash loses nothing. */
export function createLogger(component: string, verbosity: string | undefined = process.env['LOG_VERBOSITY']): Logger {
  return pino(
    {
      base: { component },
      level: levelOf(verbosity),
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err },
    },
    pino.destination({ dest: 1, sync: true }),
  );
}
