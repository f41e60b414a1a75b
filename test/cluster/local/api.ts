import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { pkiFile } from './certs.ts';
import { apiUrl } from './plan.ts';

/** One GET as admin; for the questions that `up` asks often, for which starting kubectl would be too dear. */
export async function apiGet(path: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
  const [ca, cert, key] = await Promise.all([pkiFile('ca', 'crt'), pkiFile('admin', 'crt'), pkiFile('admin', 'key')].map((file) => readFile(file)));
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
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Names of the nodes whose Ready condition is True, from a NodeList. */
export function readyNodes(body: string): string[] {
  const { items } = JSON.parse(body) as { items: NodeObject[] };
  return items.filter((node) => node.status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True')).map((node) => node.metadata.name);
}
