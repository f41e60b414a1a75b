export type * from './kubernetes/meta.ts';
export type * from './kubernetes/objects.ts';
export type * from './kubernetes/pod.ts';
