import type { Hyperv } from './types.ts';

/** What an enlightenment builds upon; the defaults switch that on where the user says nothing about it. */
export const HYPERV_NEEDS = [
  ['evmcs', 'vapic'],
  ['synictimer', 'synic'],
  ['synic', 'vpindex'],
  ['runtime', 'vpindex'],
  ['tlbflush', 'vpindex'],
  ['ipi', 'vpindex'],
] as const satisfies readonly (readonly [keyof Hyperv, keyof Hyperv])[];

/** A feature that is given is on unless it says otherwise. */
export function isOn(feature: { enabled?: boolean } | undefined): boolean {
  return feature !== undefined && feature.enabled !== false;
}

/** The enlightenments with what they build upon. */
export function completeHyperv(hyperv: Hyperv): Hyperv {
  let complete = hyperv;
  for (const [name, needed] of HYPERV_NEEDS) {
    if (isOn(complete[name]) && complete[needed]?.enabled === undefined) {
      complete = { ...complete, [needed]: { ...complete[needed], enabled: true } };
    }
  }
  return complete;
}
