import { join } from 'node:path';

/** Directories of a pod's volumes under the kubelet's directory of pods. */
export class PodPaths {
  /** As this process sees it. */
  readonly here: string;
  /** As the node's first process sees it. */
  readonly host: string;

  constructor(podsDir: string, hostPodsDir: string) {
    this.here = podsDir;
    this.host = hostPodsDir;
  }

  emptyDir(podUid: string, volume: string): string {
    return join(this.here, podUid, 'volumes/kubernetes.io~empty-dir', volume);
  }

  hostEmptyDir(podUid: string, volume: string): string {
    return join(this.host, podUid, 'volumes/kubernetes.io~empty-dir', volume);
  }

  launcherSocket(podUid: string): string {
    return join(this.emptyDir(podUid, 'sockets'), 'launcher-sock');
  }

  hostLauncherSocket(podUid: string): string {
    return join(this.hostEmptyDir(podUid, 'sockets'), 'launcher-sock');
  }
}
