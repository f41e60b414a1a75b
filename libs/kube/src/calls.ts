import type { Readable } from 'node:stream';
import type { Query } from './paths.ts';

export interface CallOptions {
  /** Whole call, headers and body; default 30 s. */
  timeoutMs?: number;
}
export interface WriteOptions extends CallOptions {
  subresource?: string;
  fieldManager?: string;
  /** `Strict`, `Warn` or `Ignore` unknown fields. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  dryRun?: boolean;
}
export interface ListQuery extends CallOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: 'NotOlderThan' | 'Exact';
}
export interface WatchQuery extends ListQuery {
  timeoutSeconds?: number;
  allowWatchBookmarks?: boolean;
}
export interface DeleteOptions extends CallOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  preconditions?: { uid?: string; resourceVersion?: string };
}
export interface JsonRequest extends CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path on the API server, e.g. `/apis/subresources.kubevirt.io/v1/…`. */
  path: string;
  query?: Query;
  headers?: Record<string, string>;
  /** Sent as JSON unless the headers name another content type. */
  body?: unknown;
}
export interface StreamRequest extends CallOptions {
  method?: string;
  path: string;
  query?: Query;
  headers?: Record<string, string>;
  body?: string | Uint8Array | Readable;
}
export interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}
