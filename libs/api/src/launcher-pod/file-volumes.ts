import type { PodVolume } from '../kubernetes.ts';
import type { Volume } from '../types.ts';
import type { FILE_VOLUMES } from './paths.ts';

/** The kubelet replaces a token before it ends; one that asks for this time alone is valid for a year beyond it. */
const TOKEN_SECONDS = 3607;

/** How the pod gets the files of a volume that the guest sees as a CD; undefined for every other volume. */
export function fileSource(
  volume: Volume,
): { kind: keyof typeof FILE_VOLUMES; source: Omit<PodVolume, 'name'> } | undefined {
  const { configMap, secret, downwardAPI, serviceAccount, sysprep } = volume;
  if (configMap) return { kind: 'configMap', source: { configMap: named(configMap.name, configMap.optional) } };
  if (secret) {
    const { secretName, optional } = secret;
    return { kind: 'secret', source: { secret: { ...(secretName ? { secretName } : {}), ...optionally(optional) } } };
  }
  if (downwardAPI) return { kind: 'downwardAPI', source: { downwardAPI: { items: downwardAPI.fields ?? [] } } };
  if (serviceAccount) return { kind: 'serviceAccount', source: { projected: { sources: CREDENTIALS } } };
  if (sysprep?.configMap) return { kind: 'sysprep', source: { configMap: named(sysprep.configMap.name, undefined) } };
  if (sysprep?.secret?.name) return { kind: 'sysprep', source: { secret: { secretName: sysprep.secret.name } } };
  return undefined;
}

function named(name: string | undefined, optional: boolean | undefined) {
  return { ...(name ? { name } : {}), ...optionally(optional) };
}

function optionally(optional: boolean | undefined) {
  return optional ? { optional } : {};
}

/** What a pod finds of its own service account, for the guest alone: no container of the pod mounts it elsewhere. */
const CREDENTIALS = [
  { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
];
