import { downSteps } from './cluster-steps.ts';
import { command } from './command.ts';
import { runSteps } from './steps.ts';

await command('down', async ({ options, display, signal }) => {
  await runSteps(downSteps(options), display, signal);
});
