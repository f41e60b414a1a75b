import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Of this checkout. */
export const checkout = resolve(import.meta.dirname, '../..');
export const dotLocal = join(checkout, '.local');
export const bin = join(dotLocal, 'bin');
export const logs = join(dotLocal, 'logs');
export const imageArchives = join(dotLocal, 'images');
export const kubeconfigPath = join(dotLocal, 'kubeconfig');

/** Built tools, one copy a machine, so that a fresh clone finds them. */
export const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'yagura');

/** Of the machine: there is at most one local cluster on it, whichever checkout made it. */
export const stateDir = '/var/lib/yagura-local';
export const runDir = '/run/yagura-local';
export const clusterFile = join(stateDir, 'cluster.json');
export const pki = join(stateDir, 'pki');
export const controlPlaneDir = join(stateDir, 'control-plane');
export const sharedVolumes = join(stateDir, 'shared');
export const cgroupName = 'yagura-local';

export const nodeDir = (node: string): string => join(stateDir, 'nodes', node);
