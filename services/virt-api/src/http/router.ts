import type { IncomingMessage } from 'node:http';
import type { WebSocket } from '@yagura/streams';

export interface RequestContext {
  request: IncomingMessage;
  method: string;
  /** Decoded path, without query. */
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Aborted when the client goes away or the server stops. */
  signal: AbortSignal;
  /** Makes the connection a websocket, paused until somebody listens; absent when the client did not ask for one. */
  upgrade?: () => Promise<WebSocket>;
}

/** An answer. A body of text or bytes is sent as it is, anything else as JSON; undefined sends no body. 101: upgraded. */
export interface Reply {
  status: number;
  body?: unknown;
  contentType?: string;
}

export type RouteHandler = (context: RequestContext) => Promise<Reply> | Reply;

export type RouteMatch =
  | { found: 'route'; handler: RouteHandler; params: Record<string, string> }
  | { found: 'other-methods'; allow: string[] }
  | { found: 'nothing' };

interface Route {
  method: string;
  segments: string[];
  handler: RouteHandler;
}

/** Routes by method and path. A pattern is a path whose segments may be `:parameters`; the first that fits wins. */
export class Router {
  readonly #routes: Route[] = [];

  add(method: string, pattern: string, handler: RouteHandler): void {
    this.#routes.push({ method, segments: split(pattern), handler });
  }

  match(method: string, path: string): RouteMatch {
    const segments = split(path);
    const allow = new Set<string>();
    for (const route of this.#routes) {
      const params = fit(route.segments, segments);
      if (params === undefined) continue;
      if (route.method === method || (route.method === 'GET' && method === 'HEAD'))
        return { found: 'route', handler: route.handler, params };
      allow.add(route.method);
    }
    return allow.size > 0 ? { found: 'other-methods', allow: [...allow] } : { found: 'nothing' };
  }
}

function split(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function fit(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return params;
}
