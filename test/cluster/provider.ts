import type { Step } from './steps.ts';

/** What differs between the ways to get a cluster; everything after the last step is shared. */
export interface Provider {
  readonly name: string;
  /** Steps that end with a step named `ready`: nodes Ready, kubeconfig at .local/kubeconfig. */
  readonly steps: readonly Step[];
  /** What is done last of all, given the names of all other steps. */
  lastSteps(others: readonly string[]): readonly Step[];
  /** For `helm --set`. */
  readonly chartValues: readonly string[];
  /** Puts image archives (docker or OCI) where the cluster's nodes find them; answers the names of those that were not there. */
  loadImages(archives: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
}
