import type { RunStrategy, VirtualMachine } from '../types.ts';

/** The run strategy, whichever of the two fields says it. A virtual machine that says nothing does not run. */
export function runStrategyOf({ spec }: Pick<VirtualMachine, 'spec'>): RunStrategy {
  if (spec.runStrategy) return spec.runStrategy;
  return spec.running === true ? 'Always' : 'Halted';
}
