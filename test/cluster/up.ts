// npm run up [-- …], see options.ts
import { upSteps } from './cluster-steps.ts';
import { command } from './command.ts';
import { showDemo } from './demo.ts';
import { runSteps } from './steps.ts';

await command('up', async ({ options, display, signal }) => {
  await runSteps(upSteps(options), display, signal);
  if (!options.bare) display.say(await showDemo(signal));
});
