import { localDown, localProvider } from './local/provider.ts';
import type { Options } from './options.ts';
import { productSteps } from './product-steps.ts';
import type { Provider } from './provider.ts';
import type { Step } from './steps.ts';

export function providerOf(options: Options): Provider {
  if (options.provider === 'local') return localProvider(options.nodes);
  throw new Error(`provider ${options.provider}: not here`);
}

export function clusterSteps(options: Options): Step[] {
  const provider = providerOf(options);
  const steps = options.bare ? provider.steps : [...provider.steps, ...productSteps(provider)];
  return [...steps, ...provider.lastSteps(steps.map((step) => step.name))];
}

export function downSteps(options: Options): Step[] {
  if (options.provider === 'local')
    return [{ name: 'local cluster', run: ({ note, signal }) => localDown(note, signal) }];
  throw new Error(`provider ${options.provider}: not here`);
}
