export type * from './kubernetes.ts';
export type * from './types.ts';
