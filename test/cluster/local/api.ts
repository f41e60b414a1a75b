import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { pkiFile } from './certs.ts';
import { apiUrl } from './plan.ts';

/** One GET as admin; for the questions that `up` asks often, for which starting kubectl would be too dear. */
export async function apiGet(path: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
  const [ca, cert, key] = await Promise.all(
    [pkiFile('ca', 'crt'), pkiFile('admin', 'crt'), pkiFile('admin', 'key')].map((file) => readFile(file)),
  );
  return new Promise((resolve, reject) => {
    const ask = request(new URL(path, apiUrl), { ca, cert, key, timeout: 5000, signal, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    ask.on('timeout', () => ask.destroy(new Error('no answer within 5 s')));
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
