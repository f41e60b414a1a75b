import type { ConfigMap, Secret } from '@yagura/api';
import { defineResource, Informer, type KubeClient } from '@yagura/kube';
import type { CertificateSource, ServingCertificates } from './certificates.ts';

export const SERVER_SECRET = 'kubevirt-virt-handler-server-certs';
export const CA_CONFIG_MAP = 'kubevirt-ca';
const CA_KEY = 'ca-bundle';

/** The certificates that virt-controller keeps in the product's namespace, watched. */
export class ClusterCertificates implements CertificateSource {
  readonly #secrets: Informer<Secret>;
  readonly #configMaps: Informer<ConfigMap>;
  readonly #listeners: ((certificates: ServingCertificates) => void)[] = [];
  #current: ServingCertificates | undefined;

  constructor(client: KubeClient, namespace: string, onError: (error: unknown) => void) {
    const named = (name: string) => ({ namespace, fieldSelector: `metadata.name=${name}`, onError });
    this.#secrets = new Informer(client, defineResource<Secret>('v1', 'Secret', 'secrets'), named(SERVER_SECRET));
    this.#configMaps = new Informer(
      client,
      defineResource<ConfigMap>('v1', 'ConfigMap', 'configmaps'),
      named(CA_CONFIG_MAP),
    );
    this.#secrets.onChange(() => this.#update());
    this.#configMaps.onChange(() => this.#update());
  }

  current(): ServingCertificates | undefined {
    return this.#current;
  }

  onChange(listener: (certificates: ServingCertificates) => void): void {
    this.#listeners.push(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#secrets.run(signal), this.#configMaps.run(signal)]);
  }

  /** Without a full set the last one stays: a Secret that is being replaced must not cut anybody off. */
  #update(): void {
    const data = this.#secrets.store.list()[0]?.data;
    const ca = this.#configMaps.store.list()[0]?.data?.[CA_KEY];
    const [cert, key] = [data?.['tls.crt'], data?.['tls.key']].map((value) =>
      value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8'),
    );
    if (!cert || !key || !ca) return;
    if (this.#current?.cert === cert && this.#current.key === key && this.#current.ca === ca) return;
    this.#current = { cert, key, ca };
    for (const listener of this.#listeners) listener(this.#current);
  }
}
