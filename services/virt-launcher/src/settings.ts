import { type Paths, pathsFrom } from './paths.ts';

export interface Settings {
  paths: Paths;
  libvirtUri: string;
  /** Seconds the guest has to shut down once the pod is told to end; undefined leaves it to the domain's metadata. */
  gracePeriodSeconds: number | undefined;
}

export function settingsFrom(env: Readonly<Record<string, string | undefined>>): Settings {
  const paths = pathsFrom(env);
  const grace = env['GRACE_PERIOD_SECONDS'];
  return {
    paths,
    libvirtUri: `qemu:///session?socket=${paths.libvirtSocket}`,
    gracePeriodSeconds: grace !== undefined && /^\d+$/.test(grace) ? Number(grace) : undefined,
  };
}
