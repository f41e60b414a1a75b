import { upSteps } from './cluster-steps.ts';
import { command } from './command.ts';
import { runSteps } from './steps.ts';

await command('up', async ({ options, display, signal }) => {
  await runSteps(upSteps(options), display, signal);
});
