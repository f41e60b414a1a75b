// npm run down [-- --provider local|kind|existing]
import { downSteps } from './cluster-steps.ts';
import { command } from './command.ts';
import { runSteps } from './steps.ts';

await command('down', ({ options, display, signal }) => runSteps(downSteps(options), display, signal));
