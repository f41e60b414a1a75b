import { UsageError } from './errors.ts';

export interface Target {
  namespace: string;
  name: string;
}

/** `NAMESPACE/NAME`, or `NAME` in the namespace of the kubeconfig's context. */
export function parseTarget(text: string, defaultNamespace: string): Target {
  const parts = text.split('/');
  const [first, second] = parts;
  if (!first || parts.length > 2 || second === '') throw new UsageError(`"${text}" is not NAMESPACE/NAME or NAME`);
  return second === undefined ? { namespace: defaultNamespace, name: first } : { namespace: first, name: second };
}
