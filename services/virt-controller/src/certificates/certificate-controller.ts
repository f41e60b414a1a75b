import { createPrivateKey, createPublicKey, X509Certificate as NodeCertificate } from 'node:crypto';
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
import { type CertificateFacts, caIsDue, leafIsDue, nextCheck } from './plan.ts';
import { hasNames, isSignedBy, type LeafSpec, makeCa, makeLeaf, type Pair, readBundle, readCertificate, validityOf } from './x509.ts';

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
    await patchCaBundles(client, bundle, signal);
    const caFacts = validityOf(mustRead(ca.cert));
    const leaves: CertificateFacts[] = [];
    for (const [name, spec] of Object.entries(leavesOf(namespace))) {
      leaves.push(await this.#leaf(name, spec, ca, bundle, now, signal));
    }
    return { requeueAfterMs: nextCheck(caFacts, leaves, now) };
  }

  async #authority(now: number, signal: AbortSignal): Promise<Pair> {
    const { client, namespace, log } = this.#options;
    const secret = await getOrUndefined(client, Secrets, namespace, CA_NAME, signal);
    const known = pairOf(secret, 'ca.crt', 'ca.key');
    const cert = readCertificate(known?.cert);
    if (known && cert && keyFits(known) && !caIsDue(validityOf(cert), now)) return known;
    const made = await makeCa('kubevirt.io', now);
    log.info({ secret: CA_NAME }, 'a new certificate authority');
    const stored = await put(client, Secrets, secret, secretOf(namespace, CA_NAME, 'Opaque', { 'ca.crt': made.cert, 'ca.key': made.key }), signal);
    return pairOf(stored, 'ca.crt', 'ca.key') ?? made;
  }

  /** All authorities that may still have signed something, the newest first. */
  async #bundle(newest: string, now: number, signal: AbortSignal): Promise<string> {
    const { client, namespace } = this.#options;
    const found = await getOrUndefined(client, ConfigMaps, namespace, CA_NAME, signal);
    const before = found?.data?.[CA_BUNDLE_KEY] ?? '';
    const newestText = mustRead(newest).toString('pem');
    const older = readBundle(before)
      .filter((cert) => cert.notAfter.getTime() > now)
      .map((cert) => cert.toString('pem'))
      .filter((text) => text !== newestText);
    const bundle = `${[newestText, ...older].join('\n')}\n`;
    if (bundle === before) return bundle;
    const data = { [CA_BUNDLE_KEY]: bundle };
    await put(client, ConfigMaps, found, { metadata: { name: CA_NAME, namespace }, data }, signal);
    return bundle;
  }

  async #leaf(
    name: string,
    spec: LeafSpec,
    ca: Pair,
    bundle: string,
    now: number,
    signal: AbortSignal,
  ): Promise<CertificateFacts> {
    const { client, namespace, log } = this.#options;
    const secret = await getOrUndefined(client, Secrets, namespace, name, signal);
    const facts = await leafFacts(pairOf(secret, 'tls.crt', 'tls.key'), spec, ca, bundle);
    if (facts && !leafIsDue(facts, validityOf(mustRead(ca.cert)).notBefore, now)) return facts;
    const made = await makeLeaf(ca, spec, now);
    const wanted = secretOf(namespace, name, 'kubernetes.io/tls', { 'tls.crt': made.cert, 'tls.key': made.key });
    await put(client, Secrets, secret, wanted, signal);
    log.info({ secret: name, commonName: spec.commonName }, 'a new certificate');
    return { ...validityOf(mustRead(made.cert)), trusted: true, byNewestCa: true };
  }
}

async function leafFacts(
  pair: Pair | undefined,
  spec: LeafSpec,
  ca: Pair,
  bundle: string,
): Promise<CertificateFacts | undefined> {
  const cert = readCertificate(pair?.cert);
  if (!pair || !cert || !keyFits(pair)) return undefined;
  const byNewestCa = await isSignedBy(cert, mustRead(ca.cert));
  const signed = byNewestCa || (await Promise.all(readBundle(bundle).map((one) => isSignedBy(cert, one)))).includes(true);
  return { ...validityOf(cert), trusted: signed && hasNames(cert, spec), byNewestCa };
}

function keyFits({ cert, key }: Pair): boolean {
  try {
    const publicKey = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });
    return new NodeCertificate(cert).publicKey.export({ type: 'spki', format: 'der' }).equals(publicKey);
  } catch {
    return false;
  }
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
  const data = Object.fromEntries(Object.entries(files).map(([file, text]) => [file, Buffer.from(text).toString('base64')]));
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
    return client.update(resource, { ...before, ...wanted, metadata: { ...before.metadata, ...wanted.metadata } }, {}, signal);
  }
  return client.create(resource, wanted, {}, signal).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name = '' } = wanted.metadata ?? {};
    return client.get(resource, { namespace, name }, {}, signal);
  });
}
