import {
  ApiServices,
  isNotFound,
  type JsonPatchOperation,
  type KubeClient,
  type Loose,
  MutatingWebhookConfigurations,
  type Resource,
  ValidatingWebhookConfigurations,
} from '@yagura/kube';

/** What the chart makes without a caBundle, because only virt-controller knows the authority. */
const WEBHOOKS: readonly [Resource<Loose>, string][] = [
  [MutatingWebhookConfigurations, 'virt-api-mutator'],
  [ValidatingWebhookConfigurations, 'virt-api-validator'],
];
const API_SERVICES = ['v1.subresources.kubevirt.io', 'v1alpha3.subresources.kubevirt.io'];

/**
 * Tells the API server by which authorities it recognises virt-api. Answers whether all of it was there to be told:
 * an installation makes the webhooks after the Deployments, so a quick leader comes before them.
 */
export async function patchCaBundles(client: KubeClient, bundle: string, signal: AbortSignal): Promise<boolean> {
  const encoded = Buffer.from(bundle).toString('base64');
  let complete = true;
  for (const [resource, name] of WEBHOOKS) {
    const found = await patchOne(client, resource, name, (object) => webhookPatch(object, encoded), signal);
    complete &&= found;
  }
  for (const name of API_SERVICES) {
    const found = await patchOne(client, ApiServices, name, (object) => apiServicePatch(object, encoded), signal);
    complete &&= found;
  }
  return complete;
}

interface WebhookConfiguration {
  webhooks?: { name?: string; clientConfig?: { caBundle?: string } }[];
}

/** Tests the webhook's name at its place, so that a list changed meanwhile is not patched by an old index. */
export function webhookPatch(object: WebhookConfiguration, caBundle: string): JsonPatchOperation[] {
  return (object.webhooks ?? []).flatMap(({ name, clientConfig }, index): JsonPatchOperation[] =>
    clientConfig?.caBundle === caBundle
      ? []
      : [
          { op: 'test', path: `/webhooks/${index}/name`, value: name },
          { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle },
        ],
  );
}

export function apiServicePatch(object: { spec?: { caBundle?: string } }, caBundle: string): JsonPatchOperation[] {
  return object.spec?.caBundle === caBundle ? [] : [{ op: 'add', path: '/spec/caBundle', value: caBundle }];
}

async function patchOne(
  client: KubeClient,
  resource: Resource<Loose>,
  name: string,
  change: (object: object) => JsonPatchOperation[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const operations = change(await client.get(resource, { name }, {}, signal));
    if (operations.length > 0) await client.patch(resource, { name }, { type: 'json', body: operations }, {}, signal);
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}
