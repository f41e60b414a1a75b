import { ConfigMaps, type KubeObject, type ListWatcher, Secrets } from '@yagura/kube';
import { parseRequestHeaderConfig, type RequestHeaderConfig } from './auth/request-header.ts';
import type { HandlerTls } from './handler/handler-client.ts';
import { WatchedObject } from './watched-object.ts';

export interface ServingCertificate {
  cert: string;
  key: string;
}

const SERVING_SECRET = 'kubevirt-virt-api-certs';
const CLIENT_SECRET = 'kubevirt-virt-handler-certs';
const CA_CONFIGMAP = 'kubevirt-ca';

/** Every certificate that virt-api shows or trusts, read from the API and kept current; none is mounted. */
export class Credentials {
  readonly #serving: WatchedObject<KubeObject>;
  readonly #client: WatchedObject<KubeObject>;
  readonly #ca: WatchedObject<KubeObject>;
  readonly #frontProxy: WatchedObject<KubeObject>;

  constructor(client: ListWatcher, namespace: string, onError?: (error: unknown) => void) {
    const options = (name: string, where = namespace) => ({ namespace: where, name, ...(onError ? { onError } : {}) });
    this.#serving = new WatchedObject(client, Secrets, options(SERVING_SECRET));
    this.#client = new WatchedObject(client, Secrets, options(CLIENT_SECRET));
    this.#ca = new WatchedObject(client, ConfigMaps, options(CA_CONFIGMAP));
    this.#frontProxy = new WatchedObject(
      client,
      ConfigMaps,
      options('extension-apiserver-authentication', 'kube-system'),
    );
  }

  /** Undefined until virt-controller has made it. */
  get serving(): ServingCertificate | undefined {
    const { cert, key } = secretPair(this.#serving.last);
    return cert !== undefined && key !== undefined ? { cert, key } : undefined;
  }

  get handler(): HandlerTls | undefined {
    const { cert, key } = secretPair(this.#client.last);
    const ca = dataOf(this.#ca.last)['ca-bundle'];
    return cert !== undefined && key !== undefined && ca ? { cert, key, ca } : undefined;
  }

  get frontProxy(): RequestHeaderConfig | undefined {
    return parseRequestHeaderConfig(dataOf(this.#frontProxy.last));
  }

  /** Told whenever what the server itself shows or trusts may have changed. */
  onServerChange(handler: () => void): void {
    this.#serving.onChange(handler);
    this.#frontProxy.onChange(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#serving, this.#client, this.#ca, this.#frontProxy].map((object) => object.run(signal)));
  }
}

function dataOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  return (object as { data?: Record<string, string> } | undefined)?.data ?? {};
}

function secretPair(secret: KubeObject | undefined): { cert: string | undefined; key: string | undefined } {
  const data = dataOf(secret);
  const decode = (name: string) => (data[name] ? Buffer.from(data[name], 'base64').toString('utf8') : undefined);
  return { cert: decode('tls.crt'), key: decode('tls.key') };
}
