export type * from './kubernetes.ts';
export { launcherVmi } from './launcher-vmi.ts';
export type * from './types.ts';
