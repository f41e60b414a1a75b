import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { pkiFile } from './certs.ts';
import { apiUrl } from './plan.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function credentials(): Promise<{ ca: Buffer; cert: Buffer; key: Buffer }> {
  const [ca, cert, key] = await Promise.all([
    readFile(pkiFile('ca', 'crt')),
    readFile(pkiFile('admin', 'crt')),
    readFile(pkiFile('admin', 'key')),
  ]);
  return { ca, cert, key };
}

/** One request as admin; for the questions that are asked often, for which starting kubectl would be too dear. */
export async function apiRequest(method: string, path: string, object?: object, signal?: AbortSignal): Promise<Answer> {
  const options = {
    ...(await credentials()),
    method,
    timeout: 5000,
    signal,
    agent: false as const,
    headers: { 'content-type': 'application/json' },
  };
  return new Promise((resolve, reject) => {
    const ask = request(new URL(path, apiUrl), options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    ask.on('timeout', () => ask.destroy(new Error('no answer within 5 s')));
    ask.on('error', reject);
    ask.end(object === undefined ? undefined : JSON.stringify(object));
  });
}

export const apiGet = (path: string, signal?: AbortSignal): Promise<Answer> =>
  apiRequest('GET', path, undefined, signal);

/** Calls back whenever something under the path changes, until the watch ends, which it does every few minutes. */
export async function apiWatch(path: string, changed: () => void): Promise<void> {
  const options = { ...(await credentials()), agent: false as const };
  return new Promise((resolve, reject) => {
    const ask = request(new URL(`${path}?watch=true`, apiUrl), options, (response) => {
      response.on('data', changed);
      response.on('end', resolve);
      response.on('error', reject);
    });
    ask.on('error', reject);
    ask.end();
  });
}

interface NodeObject {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastHeartbeatTime?: string;
    }[];
  };
}

/**
 * Names of the nodes whose kubelet says Ready, from a NodeList. What a kubelet said before this time does not count for
 * its node: a node that was lost stays Ready in the API for a while.
 */
export function readyNodes(body: string, saidSince: ReadonlyMap<string, number> = new Map()): string[] {
  const { items } = JSON.parse(body) as { items: NodeObject[] };
  const ready = (node: NodeObject): boolean => {
    const condition = node.status?.conditions?.find((each) => each.type === 'Ready');
    // The API keeps whole seconds.
    const since = Math.floor((saidSince.get(node.metadata.name) ?? 0) / 1000) * 1000;
    return condition?.status === 'True' && Date.parse(condition.lastHeartbeatTime ?? '') >= since;
  };
  return items.filter(ready).map((node) => node.metadata.name);
}
