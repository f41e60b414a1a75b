import type { ConfigMap, Secret } from '@yagura/api';
import {
  type Clock,
  defineResource,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type Logger,
  type ReconcileResult,
  type Resource,
} from '@yagura/kube';
import { patchCaBundles } from './ca-bundles.ts';
import { CA_BUNDLE_KEY, CA_NAME, leavesOf } from './leaves.ts';
import { BACKDATE_MS, type CertificateFacts, CHECK_MS, caIsDue, INCOMPLETE_CHECK_MS, leafIsDue } from './plan.ts';
import {
  hasNames,
  isSignedBy,
  keyFits,
  type LeafSpec,
  type Pair,
  readBundle,
  readCertificate,
  validityOf,
} from './read.ts';

const Secrets = defineResource<Secret>('v1', 'Secret', 'secrets');
const ConfigMaps = defineResource<ConfigMap>('v1', 'ConfigMap', 'configmaps');

export interface CertificateControllerOptions {
  client: KubeClient;
  namespace: string;
  clock: Clock;
  log: Logger;
}

/** Keeps the product's certificates valid. All that is known about them is in the Secrets; only the leader writes. */
export class CertificateController {
  readonly #options: CertificateControllerOptions;

  constructor(options: CertificateControllerOptions) {
    this.#options = options;
  }

  async reconcile(signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, namespace, client } = this.#options;
    const now = clock.now();
    const ca = await this.#authority(now, signal);
    const bundle = await this.#bundle(ca.cert, now, signal);
    const complete = await patchCaBundles(client, bundle, signal);
    for (const [name, spec] of Object.entries(leavesOf(namespace)))
      await this.#leaf(name, spec, ca, bundle, now, signal);
    return { requeueAfterMs: complete ? CHECK_MS : INCOMPLETE_CHECK_MS };
  }

  async #authority(now: number, signal: AbortSignal): Promise<Pair> {
    const { client, namespace, log } = this.#options;
    const secret = await getOrUndefined(client, Secrets, namespace, CA_NAME, signal);
    const known = pairOf(secret, 'ca.crt', 'ca.key');
    const cert = readCertificate(known?.cert);
    if (known && cert && keyFits(known) && !caIsDue(validityOf(cert), now)) return known;
    const { makeCa } = await import('./make.ts');
    const made = await makeCa('kubevirt.io', now);
    log.info({ secret: CA_NAME }, 'a new certificate authority');
    const stored = await put(
      client,
      Secrets,
      secret,
      secretOf(namespace, CA_NAME, 'Opaque', { 'ca.crt': made.cert, 'ca.key': made.key }),
      signal,
    );
    return pairOf(stored, 'ca.crt', 'ca.key') ?? made;
  }

  /** All authorities that may still have signed something, the newest first. */
  async #bundle(newest: string, now: number, signal: AbortSignal): Promise<string> {
    const { client, namespace } = this.#options;
    const found = await getOrUndefined(client, ConfigMaps, namespace, CA_NAME, signal);
    const before = found?.data?.[CA_BUNDLE_KEY] ?? '';
    const newestText = mustRead(newest).toString();
    const older = readBundle(before)
      .filter((cert) => validityOf(cert).notAfter > now)
      .map((cert) => cert.toString())
      .filter((text) => text !== newestText);
    const bundle = `${[newestText, ...older].join('\n')}\n`;
    if (bundle === before) return bundle;
    const data = { [CA_BUNDLE_KEY]: bundle };
    await put(client, ConfigMaps, found, { metadata: { name: CA_NAME, namespace }, data }, signal);
    return bundle;
  }

  async #leaf(name: string, spec: LeafSpec, ca: Pair, bundle: string, now: number, signal: AbortSignal): Promise<void> {
    const { client, namespace, log } = this.#options;
    const secret = await getOrUndefined(client, Secrets, namespace, name, signal);
    const facts = leafFacts(pairOf(secret, 'tls.crt', 'tls.key'), spec, ca, bundle);
    const caSince = validityOf(mustRead(ca.cert)).notBefore + BACKDATE_MS;
    if (!leafIsDue(facts, caSince, now)) return;
    const { makeLeaf } = await import('./make.ts');
    const made = await makeLeaf(ca, spec, now);
    const wanted = secretOf(namespace, name, 'kubernetes.io/tls', { 'tls.crt': made.cert, 'tls.key': made.key });
    await put(client, Secrets, secret, wanted, signal);
    log.info({ secret: name, commonName: spec.commonName }, 'a new certificate');
  }
}

function leafFacts(pair: Pair | undefined, spec: LeafSpec, ca: Pair, bundle: string): CertificateFacts | undefined {
  const cert = readCertificate(pair?.cert);
  if (!pair || !cert || !keyFits(pair)) return undefined;
  const byNewestCa = isSignedBy(cert, mustRead(ca.cert));
  const signed = byNewestCa || readBundle(bundle).some((one) => isSignedBy(cert, one));
  return { ...validityOf(cert), trusted: signed && hasNames(cert, spec), byNewestCa };
}

function mustRead(pem: string) {
  const cert = readCertificate(pem);
  if (!cert) throw new Error('the certificate authority cannot be read');
  return cert;
}

function pairOf(secret: Secret | undefined, cert: string, key: string): Pair | undefined {
  const text = (name: string) => Buffer.from(secret?.data?.[name] ?? '', 'base64').toString('utf8');
  return text(cert) && text(key) ? { cert: text(cert), key: text(key) } : undefined;
}

function secretOf(namespace: string, name: string, type: string, files: Record<string, string>): Secret {
  const data = Object.fromEntries(
    Object.entries(files).map(([file, text]) => [file, Buffer.from(text).toString('base64')]),
  );
  return { metadata: { name, namespace }, type, data };
}

async function getOrUndefined<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  return client.get(resource, { namespace, name }, {}, signal).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Creates or replaces; with a race lost, what the other one wrote counts, and the next pass judges it. */
async function put<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  before: T | undefined,
  wanted: T,
  signal: AbortSignal,
): Promise<T> {
  const version = before?.metadata?.resourceVersion;
  if (version) {
    return client.update(
      resource,
      { ...before, ...wanted, metadata: { ...before.metadata, ...wanted.metadata } },
      {},
      signal,
    );
  }
  return client.create(resource, wanted, {}, signal).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name = '' } = wanted.metadata ?? {};
    return client.get(resource, { namespace, name }, {}, signal);
  });
}
