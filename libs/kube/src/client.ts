import type { WebSocket } from 'ws';
import { type AccessOptions, type ClusterAccess, loadAccess } from './access.ts';
import type {
  CallOptions,
  DeleteOptions,
  JsonRequest,
  ListQuery,
  StreamRequest,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from './calls.ts';
import { ConnectionError, KubeError, type Status } from './errors.ts';
import type { ExecOptions, ExecSession } from './exec.ts';
import { readLines } from './lines.ts';
import { apiVersionOf, type KubeList, type KubeObject, type ObjectName, type Resource } from './objects.ts';
import { type Patch, patchContentType } from './patch.ts';
import { type Query, type ResourceTarget, resourcePath, withQuery } from './paths.ts';
import { type RawResponse, readText, Transport } from './transport.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** Typed by resource, raw by content: what the server sends is what you get. */
export class KubeClient {
  readonly access: ClusterAccess;
  readonly #transport: Transport;
  readonly #userAgent: string;

  constructor(access: ClusterAccess, userAgent = 'yagura') {
    this.access = access;
    this.#transport = new Transport(access);
    this.#userAgent = userAgent;
  }

  static async load(options: AccessOptions & { userAgent?: string } = {}): Promise<KubeClient> {
    return new KubeClient(await loadAccess(options), options.userAgent);
  }

  get<T extends KubeObject>(
    resource: Resource<T>,
    target: ResourceTarget & { name: string },
    options: CallOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    return this.request<T>({ path: resourcePath(resource, target), ...options }, signal);
  }

  /** One page; follow `metadata.continue`, or use `listAll`. */
  list<T extends KubeObject>(resource: Resource<T>, query: ListQuery = {}, signal?: AbortSignal): Promise<KubeList<T>> {
    const { namespace, timeoutMs, ...rest } = query;
    return this.request<KubeList<T>>(
      { path: resourcePath(resource, { namespace }), query: rest, ...(timeoutMs ? { timeoutMs } : {}) },
      signal,
    );
  }

  async listAll<T extends KubeObject>(
    resource: Resource<T>,
    query: ListQuery = {},
    signal?: AbortSignal,
  ): Promise<KubeList<T>> {
    const page = await this.list(resource, { limit: 500, ...query }, signal);
    const items = [...page.items];
    let next = page.metadata.continue;
    while (next) {
      const more: KubeList<T> = await this.list(resource, { limit: 500, ...query, continue: next }, signal);
      items.push(...more.items);
      next = more.metadata.continue;
    }
    return {
      ...page,
      metadata: { ...(page.metadata.resourceVersion ? { resourceVersion: page.metadata.resourceVersion } : {}) },
      items,
    };
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const target = {
      namespace: object.metadata?.namespace,
      ...(options.subresource ? { name: object.metadata?.name, subresource: options.subresource } : {}),
    };
    return this.request<T>(
      { method: 'POST', path: resourcePath(resource, target), body: typed(resource, object), ...write(options) },
      signal,
    );
  }

  /** Full replacement; `metadata.resourceVersion` in the object makes a lost race a 409. */
  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const target = {
      namespace: object.metadata?.namespace,
      name: object.metadata?.name ?? '',
      subresource: options.subresource,
    };
    return this.request<T>(
      { method: 'PUT', path: resourcePath(resource, target), body: typed(resource, object), ...write(options) },
      signal,
    );
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    target: ObjectName,
    patch: Patch,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const force = patch.type === 'apply' && patch.force ? { force: true } : {};
    const call = write(options);
    return this.request<T>(
      {
        method: 'PATCH',
        path: resourcePath(resource, { ...target, subresource: options.subresource }),
        headers: { 'Content-Type': patchContentType[patch.type] },
        body: patch.body,
        ...call,
        query: { ...call.query, ...force },
      },
      signal,
    );
  }

  /** Answers the object (still terminating) or a Status. */
  delete(
    resource: Resource,
    target: ObjectName,
    options: DeleteOptions = {},
    signal?: AbortSignal,
  ): Promise<KubeObject> {
    const { timeoutMs, ...body } = options;
    return this.request<KubeObject>(
      {
        method: 'DELETE',
        path: resourcePath(resource, target),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', ...body },
        ...(timeoutMs ? { timeoutMs } : {}),
      },
      signal,
    );
  }

  /** Any path: JSON in, JSON out (text when the answer is no JSON). Throws KubeError on ≥ 400, ConnectionError when no answer came. */
  async request<T>(request: JsonRequest, signal?: AbortSignal): Promise<T> {
    return (await this.dated<T>(request, signal)).body;
  }

  /** The same, with the time at which the server answered by its own clock (the Date header, whole seconds). */
  async dated<T>(request: JsonRequest, signal?: AbortSignal): Promise<{ body: T; date: Date | undefined }> {
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const { body, ...rest } = request;
    const headers = {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...request.headers,
    };
    const started = performance.now();
    const response = await this.stream(
      { ...rest, headers, timeoutMs, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
      signal,
    );
    const label = `${request.method ?? 'GET'} ${request.path}`;
    const text = await readText(response, label, Math.max(1, timeoutMs - (performance.now() - started)), signal);
    const date = response.headers.date === undefined ? undefined : new Date(response.headers.date);
    if (!(response.headers['content-type'] ?? '').includes('json')) return { body: text as T, date };
    try {
      return { body: JSON.parse(text) as T, date };
    } catch (error) {
      throw new ConnectionError(label, error);
    }
  }

  /** The raw response once its headers are there; a status ≥ 400 throws KubeError. The timeout ends with the headers. */
  async stream(request: StreamRequest, signal?: AbortSignal): Promise<RawResponse> {
    const method = request.method ?? 'GET';
    const raw = {
      method,
      path: withQuery(request.path, request.query),
      headers: { 'User-Agent': this.#userAgent, ...request.headers },
      timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      ...(request.body === undefined ? {} : { body: request.body }),
    };
    let response = await this.#transport.send(raw, signal);
    if (response.status === 401 && (typeof raw.body === 'string' || raw.body === undefined)) {
      response.body.destroy();
      this.access.refresh();
      response = await this.#transport.send(raw, signal);
    }
    if (response.status >= 400) throw await failure(response, `${method} ${request.path}`);
    return response;
  }

  /** One watch request; ends when the server closes it. ERROR events are thrown as KubeError. */
  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    query: WatchQuery,
    signal?: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    const { namespace, timeoutMs, ...rest } = query;
    const path = resourcePath(resource, { namespace });
    const response = await this.stream(
      {
        path,
        query: { ...rest, watch: true },
        headers: { Accept: 'application/json' },
        ...(timeoutMs ? { timeoutMs } : {}),
      },
      signal,
    );
    const onAbort = () => response.body.destroy();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const line of readLines(response.body)) {
        const event = JSON.parse(line) as WatchEvent<T>;
        if (event.type === 'ERROR') throw new KubeError(event.object, `WATCH ${path}`);
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      throw error instanceof KubeError ? error : new ConnectionError(`WATCH ${path}`, error);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      response.body.destroy();
    }
  }

  /** Runs a command in a container (pods/exec over WebSocket). */
  async exec(
    target: ObjectName & { container?: string },
    options: ExecOptions,
    signal?: AbortSignal,
  ): Promise<ExecSession> {
    const { openExec } = await import('./exec.ts');
    return openExec(this.access, target, options, signal);
  }

  /** A websocket to any path, paused until somebody listens. Throws KubeError when the server refuses it. */
  async webSocket(path: string, protocols: readonly string[], signal?: AbortSignal): Promise<WebSocket> {
    const { openKubeWebSocket } = await import('./websocket.ts');
    return openKubeWebSocket(this.access, path, protocols, `GET ${path}`, signal);
  }

  close(): void {
    this.#transport.close();
  }
}

function typed<T extends KubeObject>(resource: Resource<T>, object: T): T {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function write(options: WriteOptions): { query: Query; timeoutMs?: number } {
  const { fieldManager, fieldValidation, dryRun, timeoutMs } = options;
  return {
    query: { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined },
    ...(timeoutMs ? { timeoutMs } : {}),
  };
}

async function failure(response: RawResponse, label: string): Promise<KubeError> {
  const text = await readText(response, label, 10_000).catch(() => '');
  const retryAfter = Number(response.headers['retry-after']);
  let status: Status = { message: text.slice(0, 500).trim() };
  try {
    const parsed = JSON.parse(text) as Status;
    if (parsed.kind === 'Status') status = parsed;
  } catch {
    // Proxies and aggregated servers answer plain text; it is the message.
  }
  return new KubeError(
    { ...status, code: response.status },
    label,
    Number.isFinite(retryAfter) ? retryAfter * 1000 : undefined,
  );
}
