import type { Step } from './steps.ts';

/** What differs between the ways to get a cluster; everything after the last step is shared. */
export interface Provider {
  readonly name: string;
  /** Steps that end with a step named `ready`: nodes Ready, kubeconfig at .local/kubeconfig. */
  readonly steps: readonly Step[];
  /** Debian packages that the steps, or what follows them, need. */
  nodes(): Promise<readonly string[]>;
  /** Puts image archives (docker or OCI) where the cluster's nodes find them; those that are there already cost nothing. */
  loadImages(archives: readonly string[], signal: AbortSignal): Promise<string>;
}
