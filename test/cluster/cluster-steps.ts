import { existingDown, existingProvider } from './existing.ts';
import { kindDown, kindProvider } from './kind.ts';
import { localDown, localProvider } from './local/provider.ts';
import { type Options, UsageError } from './options.ts';
import { productSteps } from './product-steps.ts';
import type { Provider } from './provider.ts';
import type { Step } from './steps.ts';

function providerOf(options: Options): Provider {
  if (options.provider === 'kind') return kindProvider(options.nodes);
  return options.provider === 'existing' ? existingProvider(options) : localProvider(options.nodes);
}

export function upSteps(options: Options): Step[] {
  if (options.provider === 'existing' && options.registry === undefined && !options.bare)
    throw new UsageError(
      '--provider existing: the cluster pulls its images, so name a registry that you may push to and it may pull from by --registry',
    );
  const provider = providerOf(options);
  const steps = options.bare ? provider.steps : [...provider.steps, ...productSteps(provider)];
  return [...steps, ...provider.lastSteps(steps.map((step) => step.name))];
}

export function downSteps(options: Options): Step[] {
  const run: Record<Options['provider'], Step['run']> = {
    local: ({ note, signal }) => localDown(note, signal),
    kind: ({ signal }) => kindDown(signal),
    existing: ({ signal }) => existingDown(signal),
  };
  return [{ name: `${options.provider} cluster`, run: run[options.provider] }];
}
