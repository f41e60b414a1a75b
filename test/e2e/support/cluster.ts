import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { Objects } from './objects.ts';
import { run, sh } from './shell.ts';

export const root = join(import.meta.dirname, '../../..');
export const local = (path: string): string => join(root, '.local', path);
/** The cluster under test. */
export const kubeconfig = process.env['KUBECONFIG'] ?? local('kubeconfig');
const env = { KUBECONFIG: kubeconfig };

/** A tool of .local/bin; the first time it is built in the background of `npm run up`. */
export const untilBuilt = (tool: string): Promise<boolean> =>
  eventually(`${local(`bin/${tool}`)} (see .local/logs/background.log)`, 300_000, () =>
    existsSync(local(`bin/${tool}`)),
  );

export const productNamespace = 'yagura';

/** kubectl, which must succeed. */
export const kubectl = (...args: string[]): Promise<string> => sh(local('bin/kubectl'), args, { env });

/** kubectl with a manifest on standard input. */
export const kubectlWith = (input: object | string, ...args: string[]): Promise<string> =>
  sh(local('bin/kubectl'), args, { env, input: typeof input === 'string' ? input : JSON.stringify(input) });

/** kubectl, whose failure is an answer too. */
export const tryKubectl = (input: object | undefined, ...args: string[]) =>
  run(local('bin/kubectl'), args, { env, ...(input === undefined ? {} : { input: JSON.stringify(input) }) });

const objects = new Objects(kubeconfig);

/** An object, or undefined when it does not exist. The resource by any name that kubectl takes. */
export const get = <T>(resource: string, name: string, namespace?: string): Promise<T | undefined> =>
  objects.get<T>(resource, name, namespace);

export const list = <T>(resource: string, ...args: string[]): Promise<T[]> => objects.list<T>(resource, args);

/** A shell command in a container; resolves to what it printed. */
export const execIn = (namespace: string, pod: string, container: string, command: string): Promise<string> =>
  objects.exec(namespace, pod, container, ['sh', '-c', command]);

/** A command inside a node of the local cluster. */
export const nodeExec = (node: string, ...command: string[]): Promise<string> =>
  sh(local('bin/node-exec'), [node, ...command]);

export const yagura = (...args: string[]) => run(local('bin/yagura'), args, { env });

export const helm = (...args: string[]) => run(local('bin/helm'), args, { env });
