import * as words from '../words.ts';

/** Words that mean something to one field or another. */
export const ENUMERATED: readonly string[] = [
  ...new Set(Object.values(words).flat()),
  'root',
  'default',
  '1Gi',
  '64Mi',
];
