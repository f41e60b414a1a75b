import { join } from 'node:path';
import { exec, tryExec } from './exec.ts';
import { bin, kubeconfigPath } from './paths.ts';

const env = (): NodeJS.ProcessEnv => ({ ...process.env, KUBECONFIG: kubeconfigPath });

/** kubectl against the cluster of this checkout, whatever KUBECONFIG says. */
export function kubectl(args: readonly string[], input?: string, signal?: AbortSignal): Promise<string> {
  return exec(join(bin, 'kubectl'), args, { env: env(), ...(input === undefined ? {} : { input }) }, signal);
}

export function tryKubectl(args: readonly string[], signal?: AbortSignal): Promise<string | undefined> {
  return tryExec(join(bin, 'kubectl'), args, { env: env() }, signal);
}

export function helm(args: readonly string[], signal?: AbortSignal): Promise<string> {
  return exec(join(bin, 'helm'), args, { env: env(), log: 'helm.log' }, signal);
}
