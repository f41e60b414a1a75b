export { errorMessage } from './error-message.ts';
export { createLogger, type Logger, levelOf } from './logger.ts';
export { type MainContext, runMain } from './main.ts';
export { Pause } from './pause.ts';
export { aborted, sleep } from './wait.ts';
