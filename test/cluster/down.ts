import { command } from './command.ts';
import { downSteps } from './cluster-steps.ts';
import { runSteps } from './steps.ts';

await command('down', async ({ options, display, signal }) => {
  await runSteps(downSteps(options), display, signal);
});
