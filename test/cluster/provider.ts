import type { Step } from './steps.ts';

/** What differs between the ways to get a cluster; everything after the last step is shared. */
/** As the archives name them, for nodes that are given the archives themselves. */
export const loadedImage = (name: string): string => `localhost/yagura/${name}:dev`;

export interface Provider {
  readonly name: string;
  /** Steps that end with a step named `ready`: nodes Ready, kubeconfig at .local/kubeconfig. */
  readonly steps: readonly Step[];
  /** What is done last of all, given the names of all other steps. */
  lastSteps(others: readonly string[]): readonly Step[];
  /** For `helm --set`. */
  readonly chartValues: readonly string[];
  /** Whether guests are emulated; undefined: where no node offers KVM. */
  readonly emulate: boolean | undefined;
  /** Of the product's images and the demo's: Always where nodes could have an older image of the name. */
  readonly pullPolicy: 'Always' | 'IfNotPresent';
  /** What a pod calls an image of ours. */
  image(name: string): string;
  /** Puts image archives (docker or OCI) where the cluster's nodes find them; answers the names of those that were not there. */
  loadImages(archives: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
}
