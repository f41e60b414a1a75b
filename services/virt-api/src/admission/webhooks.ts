import { randomUUID } from 'node:crypto';
import type { ClusterConfig } from '@yagura/api';
import { leaveMigration, refuseMigration } from './migration.ts';
import type { Webhook } from './review.ts';
import { mutateVm, validateVm } from './vm.ts';
import { mutateVmi, validateVmiCreate, validateVmiUpdate } from './vmi.ts';

/** What the webhooks decide by, besides the request. */
export interface WebhookContext {
  /** Namespace of the product: its service accounts may do what others may not. */
  namespace: string;
  config: () => ClusterConfig;
  onVmCreated?: (namespace: string) => void;
  uuid?: () => string;
  now?: () => string;
}

const PATHS = [
  '/virtualmachines-mutate',
  '/virtualmachines-validate',
  '/virtualmachineinstances-mutate',
  '/virtualmachineinstances-validate-create',
  '/virtualmachineinstances-validate-update',
  '/migration-mutate-create',
  '/migration-validate-create',
  '/migration-validate-update',
] as const;
export type WebhookPath = (typeof PATHS)[number];
export const WEBHOOK_PATHS: ReadonlySet<string> = new Set(PATHS);

/** Every webhook by its path. */
export function webhooks(context: WebhookContext): Record<WebhookPath, Webhook> {
  const source = {
    uuid: context.uuid ?? randomUUID,
    now: context.now ?? (() => new Date().toISOString().replace(/\.\d+Z$/, 'Z')),
  };
  return {
    '/virtualmachines-mutate': mutateVm(context, source),
    '/virtualmachines-validate': validateVm(context),
    '/virtualmachineinstances-mutate': mutateVmi(context, source),
    '/virtualmachineinstances-validate-create': validateVmiCreate(context),
    '/virtualmachineinstances-validate-update': validateVmiUpdate(context),
    '/migration-mutate-create': leaveMigration,
    '/migration-validate-create': refuseMigration,
    '/migration-validate-update': leaveMigration,
  };
}
