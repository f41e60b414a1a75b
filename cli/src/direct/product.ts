import { defineResource, type KubeClient, type KubeObject } from '@yagura/kube';
import { messageOf } from '../errors.ts';

const KubeVirts = defineResource<KubeObject>('kubevirt.io/v1', 'KubeVirt', 'kubevirts');

/** Where the product is installed. */
export type Product = { namespace: string } | { namespace: undefined; error: string };

/** By its KubeVirt object, which everybody may see. */
export async function findProduct(client: KubeClient, timeoutMs: number, signal: AbortSignal): Promise<Product> {
  try {
    const { items } = await client.list(KubeVirts, { timeoutMs }, signal);
    const namespace = items[0]?.metadata?.namespace;
    if (namespace !== undefined) return { namespace };
    return { namespace: undefined, error: 'there is no KubeVirt object, whose namespace would be that of the product' };
  } catch (error) {
    return { namespace: undefined, error: `the namespace of the product is not known: ${messageOf(error)}` };
  }
}
