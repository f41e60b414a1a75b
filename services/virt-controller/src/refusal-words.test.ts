import { refusalWords } from './refusal-words.ts';

const exceeded = (used: number) =>
  `pods "p" is forbidden: exceeded quota: q, requested: limits.cpu=1,pods=1, used: limits.cpu=${used},pods=${used}, limited: limits.cpu=3,pods=3`;

test('a quota that others use more of is no news', () => {
  expect(refusalWords(exceeded(3))).toBe(refusalWords(exceeded(4)));
  expect(refusalWords(exceeded(3))).toContain('requested: limits.cpu=1,pods=1, limited: limits.cpu=3,pods=3');
});
