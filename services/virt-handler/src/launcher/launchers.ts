import type { Pod } from '@yagura/api';
import type { DomainEvent } from '@yagura/contracts';
import type { Logger } from '@yagura/runtime';
import type { PodPaths } from '../pod/paths.ts';
import { type LauncherChange, LauncherLink } from './launcher-link.ts';

export interface LaunchersOptions {
  paths: PodPaths;
  log: Logger;
  /** `key`: `namespace/name` of the instance. */
  onChange: (key: string, change: LauncherChange) => void;
  onEvent: (key: string, event: DomainEvent) => void;
}

/** One link for each launcher pod of this node. */
export class Launchers {
  readonly #options: LaunchersOptions;
  readonly #links = new Map<string, { key: string; link: LauncherLink }>();

  constructor(options: LaunchersOptions) {
    this.#options = options;
  }

  get(podUid: string): LauncherLink | undefined {
    return this.#links.get(podUid)?.link;
  }

  /** The link to the launcher in a pod; made at the first call, long before anyone answers. */
  ensure(pod: Pod, key: string): LauncherLink {
    const uid = pod.metadata.uid ?? '';
    const known = this.#links.get(uid);
    if (known !== undefined) return known.link;
    const link = new LauncherLink({
      socket: this.#options.paths.launcherSocket(uid),
      log: this.#options.log.child({ vmi: key, pod: pod.metadata.name }),
      onChange: (change) => this.#options.onChange(key, change),
      onEvent: (event) => this.#options.onEvent(key, event),
    });
    this.#links.set(uid, { key, link });
    return link;
  }

  drop(podUid: string): void {
    this.#links.get(podUid)?.link.close();
    this.#links.delete(podUid);
  }

  podUids(): string[] {
    return [...this.#links.keys()];
  }

  close(): void {
    for (const uid of this.podUids()) this.drop(uid);
  }
}
