import type { Sample } from '../observation.ts';

/** How virt-handler stands with a launcher. */
export interface LauncherLink {
  /** `gone`: no launcher to ask; `failing`: there is one, and its last answer is an error or missing. */
  state: 'answering' | 'failing' | 'gone';
  lastAnswer?: Date | undefined;
  error?: string | undefined;
  /** Version of the launcher program, and since when it runs. */
  version?: string | undefined;
  startedAt?: Date | undefined;
}

/** Seconds after which an unheard launcher, daemon or domain is stale. */
export const LINK_MAX_AGE = 10;

/** The node layer: virt-handler's own word on its channel to the launcher. */
export function linkSamples(link: LauncherLink): Sample[] {
  const base = { layer: 'node', source: 'virt-handler', maxAge: LINK_MAX_AGE } as const;
  const { state, lastAnswer: observedAt, error } = link;
  return [
    { ...base, field: 'launcher.channel', value: state, observedAt, state, error },
    { ...base, field: 'launcher.version', value: link.version ?? null, observedAt, state },
    { ...base, field: 'launcher.startedAt', value: link.startedAt?.toISOString() ?? null, observedAt, state },
  ];
}

/** Nobody can be fresher than the channel that its words come through. */
export function through(link: LauncherLink, samples: Sample[]): Sample[] {
  if (link.state === 'answering') return samples;
  return samples.map((sample) => ({
    ...sample,
    state: sample.state === 'unsupported' ? sample.state : sample.state === 'gone' ? 'gone' : link.state,
    error: sample.error ?? (link.state === 'gone' ? 'there is no launcher' : 'the launcher does not answer'),
  }));
}
