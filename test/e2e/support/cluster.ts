import { join } from 'node:path';
import { run, sh } from './shell.ts';

export const root = join(import.meta.dirname, '../../..');
export const local = (path: string): string => join(root, '.local', path);
const env = { KUBECONFIG: process.env['KUBECONFIG'] ?? local('kubeconfig') };

export const productNamespace = 'yagura';

/** kubectl, which must succeed. */
export const kubectl = (...args: string[]): Promise<string> => sh(local('bin/kubectl'), args, { env });

/** kubectl with a manifest on standard input. */
export const kubectlWith = (input: object | string, ...args: string[]): Promise<string> =>
  sh(local('bin/kubectl'), args, { env, input: typeof input === 'string' ? input : JSON.stringify(input) });

/** kubectl, whose failure is an answer too. */
export const tryKubectl = (input: object | undefined, ...args: string[]) =>
  run(local('bin/kubectl'), args, { env, ...(input === undefined ? {} : { input: JSON.stringify(input) }) });

/** An object as JSON, or undefined when it does not exist. */
export async function get<T>(resource: string, name: string, namespace?: string): Promise<T | undefined> {
  const scope = namespace === undefined ? [] : ['-n', namespace];
  const { code, stdout, stderr } = await tryKubectl(undefined, ...scope, 'get', resource, name, '-o', 'json');
  if (code === 0) return JSON.parse(stdout) as T;
  if (stderr.includes('(NotFound)')) return undefined;
  throw new Error(`kubectl get ${resource} ${name}: ${stderr.trim()}`);
}

export async function list<T>(resource: string, ...args: string[]): Promise<T[]> {
  return (JSON.parse(await kubectl('get', resource, ...args, '-o', 'json')) as { items: T[] }).items;
}

/** A command inside a node of the local cluster. */
export const nodeExec = (node: string, ...command: string[]): Promise<string> =>
  sh(local('bin/node-exec'), [node, ...command]);

export const yagura = (...args: string[]) => run(local('bin/yagura'), args, { env });

export const helm = (...args: string[]) => run(local('bin/helm'), args, { env });
