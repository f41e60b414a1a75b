import { Agent, request } from 'node:https';
import { isIPv6 } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { type KubeClient, Pods } from '@yagura/kube';
import { openWebSocket, PROTOCOL, RefusedError, type WebSocket } from '@yagura/streams';

/** Common name of every virt-handler's serving certificate: its pod's address is nobody's DNS name. */
const HANDLER_NAME = 'kubevirt.io:system:node:virt-handler';
const HANDLER_PORT = 8186;
const TIMEOUT_MS = 10_000;

/** Our client certificate and the CA that signs the handlers' (PEM). */
export interface HandlerTls {
  cert: string;
  key: string;
  ca: string;
}

export interface HandlerAnswer {
  status: number;
  contentType: string;
  body: string;
  /** The same, for what is no text. */
  bytes?: Buffer;
}

export interface CallOptions {
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Default 10 s. */
  timeoutMs?: number;
}

/** No answer from the virt-handler of a node: it is not there, not reachable, or not who it should be. */
export class HandlerUnavailable extends Error {
  override readonly name = 'HandlerUnavailable';
  constructor(node: string, why: string) {
    super(`virt-handler on node ${node} does not answer: ${why}`);
  }
}

export interface HandlerClientOptions {
  client: Pick<KubeClient, 'list'>;
  /** Namespace of the product. */
  namespace: string;
  /** Undefined until the certificates exist. */
  tls: () => HandlerTls | undefined;
}

interface HandlerPod {
  metadata?: { name?: string; deletionTimestamp?: string };
  spec?: { nodeName?: string };
  status?: { podIP?: string; phase?: string };
}

/** Talks to the virt-handler of a node, found by its pod, over mutual TLS. */
export class HandlerClient {
  readonly #options: HandlerClientOptions;
  #agent: { agent: Agent; tls: HandlerTls } | undefined;

  constructor(options: HandlerClientOptions) {
    this.#options = options;
  }

  /** One request below /v1/namespaces/{ns}/virtualmachineinstances/{name}; any HTTP status is an answer. */
  async call(
    node: string,
    vmi: { namespace: string; name: string },
    method: 'GET' | 'PUT',
    subresource: string,
    { body, signal, timeoutMs = TIMEOUT_MS }: CallOptions = {},
  ): Promise<HandlerAnswer> {
    const host = await this.#address(node, signal);
    const agent = this.#tlsAgent(node);
    const path = pathOf(vmi, subresource);
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      return await send({
        agent,
        host,
        path,
        method,
        body,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
    } catch (error) {
      if (deadline.aborted) throw new HandlerUnavailable(node, `no answer within ${timeoutMs / 1000} s`);
      throw new HandlerUnavailable(node, error instanceof Error ? error.message : String(error));
    }
  }

  /** A stream of the guest, as `console` or `vnc?preserveSession=true`, for a user; a RefusedError is the handler's answer. */
  async stream(
    node: string,
    vmi: { namespace: string; name: string },
    stream: string,
    user: string,
    signal?: AbortSignal,
  ): Promise<WebSocket> {
    const host = await this.#address(node, signal);
    const url = `wss://${isIPv6(host) ? `[${host}]` : host}:${HANDLER_PORT}${pathOf(vmi, stream)}`;
    try {
      return await openWebSocket(url, [PROTOCOL], {
        headers: { 'x-remote-user': encodeURIComponent(user) },
        // The handler is named by address, so no SNI: Node refuses an IP there.
        tls: { ...this.#tls(node), checkServerIdentity, servername: '' },
        signal,
      });
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      throw new HandlerUnavailable(node, error instanceof Error ? error.message : String(error));
    }
  }

  /** The nodes on which a virt-handler runs, or should. */
  async nodes(signal?: AbortSignal): Promise<string[]> {
    const pods = await this.#pods({}, signal);
    return [...new Set(pods.flatMap(({ spec }) => spec?.nodeName ?? []))].sort();
  }

  close(): void {
    this.#agent?.agent.destroy();
  }

  async #pods(query: { fieldSelector?: string }, signal?: AbortSignal): Promise<HandlerPod[]> {
    const { namespace, client } = this.#options;
    const { items } = await client.list(
      Pods,
      { namespace, labelSelector: 'kubevirt.io=virt-handler', ...query },
      signal,
    );
    return items as HandlerPod[];
  }

  async #address(node: string, signal?: AbortSignal): Promise<string> {
    const pods = (await this.#pods({ fieldSelector: `spec.nodeName=${node}` }, signal)).filter(
      (pod) => pod.metadata?.deletionTimestamp === undefined && pod.status?.phase === 'Running',
    );
    const address = pods[0]?.status?.podIP;
    if (pods.length > 1) throw new HandlerUnavailable(node, `${pods.length} virt-handler pods run there`);
    if (pods.length === 0) throw new HandlerUnavailable(node, 'no virt-handler pod runs there');
    if (!address) throw new HandlerUnavailable(node, `pod ${pods[0]?.metadata?.name ?? ''} has no address yet`);
    return address;
  }

  #tls(node: string): HandlerTls {
    const tls = this.#options.tls();
    if (tls === undefined) throw new HandlerUnavailable(node, 'the certificate to talk to it does not exist yet');
    return tls;
  }

  #tlsAgent(node: string): Agent {
    const tls = this.#tls(node);
    if (this.#agent !== undefined && sameTls(this.#agent.tls, tls)) return this.#agent.agent;
    this.#agent?.agent.destroy();
    const agent = new Agent({ ...tls, keepAlive: true, maxFreeSockets: 2, checkServerIdentity });
    this.#agent = { agent, tls };
    return agent;
  }
}

function pathOf({ namespace, name }: { namespace: string; name: string }, subresource: string): string {
  const [ns, vmi] = [namespace, name].map(encodeURIComponent);
  return `/v1/namespaces/${ns}/virtualmachineinstances/${vmi}/${subresource}`;
}

function sameTls(a: HandlerTls, b: HandlerTls): boolean {
  return a.cert === b.cert && a.key === b.key && a.ca === b.ca;
}

/** The name in the certificate is the role, not the host. */
export function checkServerIdentity(_host: string, certificate: PeerCertificate): Error | undefined {
  const name = certificate.subject?.CN;
  if (name === HANDLER_NAME) return undefined;
  return new Error(
    `its certificate is for "${Array.isArray(name) ? name.join(', ') : (name ?? '')}", not ${HANDLER_NAME}`,
  );
}

interface SendOptions {
  agent: Agent;
  host: string;
  path: string;
  method: string;
  body: unknown;
  signal: AbortSignal;
}

function send({ agent, host, path, method, body, signal }: SendOptions): Promise<HandlerAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    // The handler is named by address, so no SNI: Node refuses an IP there.
    const outgoing = request(
      { agent, host, port: HANDLER_PORT, path, method, headers, signal, servername: '' },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const contentType = response.headers['content-type'] ?? '';
          resolve({ status: response.statusCode ?? 0, contentType, body: bytes.toString('utf8'), bytes });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}
