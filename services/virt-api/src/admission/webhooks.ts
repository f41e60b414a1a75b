import { randomUUID } from 'node:crypto';
import type { ClusterConfig } from '@yagura/api';
import type { ClusterObjects } from './cluster-objects.ts';
import { validateEviction } from './eviction.ts';
import { mutateMigration, validateMigrationChange, validateMigrationCreate } from './migration.ts';
import type { AsyncWebhook, Webhook } from './review.ts';
import { mutateVm, validateVm } from './vm.ts';
import { mutateVmi, validateVmiCreate, validateVmiUpdate } from './vmi.ts';

/** What the webhooks decide by, besides the request. */
export interface WebhookContext {
  /** Namespace of the product: its service accounts may do what others may not. */
  namespace: string;
  config: () => ClusterConfig;
  cluster: ClusterObjects;
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
  '/migration-validate-update',
] as const;
/** Those that ask the cluster. */
const ASYNC_PATHS = ['/migration-validate-create', '/pod-eviction-validate'] as const;
export const WEBHOOK_PATHS: ReadonlySet<string> = new Set([...PATHS, ...ASYNC_PATHS]);
type Webhooks = Record<(typeof PATHS)[number], Webhook> & Record<(typeof ASYNC_PATHS)[number], AsyncWebhook>;

/** Every webhook by its path. */
export function webhooks(context: WebhookContext): Webhooks {
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
    '/migration-mutate-create': mutateMigration,
    '/migration-validate-create': validateMigrationCreate(context.cluster, context.namespace),
    '/migration-validate-update': validateMigrationChange,
    '/pod-eviction-validate': validateEviction(context.cluster, context.config),
  };
}
