import { HttpError } from './errors.ts';

const PATH = /^\/v1\/namespaces\/([^/]+)\/virtualmachineinstances\/([^/]+)\/(.+?)\/?$/;

/** What a path asks of which instance; `action` is one part or several, as `pause` and `vnc/screenshot`. */
export function parsePath(path: string): { namespace: string; name: string; action: string } {
  const [, namespace, name, action] = PATH.exec(path) ?? [];
  if (namespace === undefined || name === undefined || action === undefined) {
    throw new HttpError(404, `no route ${path}`);
  }
  return { namespace: decoded(namespace), name: decoded(name), action };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, `"${part}" is not a percent-encoded name`);
  }
}
