import type { Webhook } from './review.ts';

const REFUSAL =
  'live migration is not supported by this version of Yagura: a VirtualMachineInstanceMigration would never be acted upon';

/** An accepted migration that nobody carries out would look pending for ever. */
export const refuseMigration: Webhook = () => ({ allowed: false, message: REFUSAL });

/** The validator refuses; the mutator, which is called first, has nothing to add. */
export const leaveMigration: Webhook = () => ({ allowed: true });
