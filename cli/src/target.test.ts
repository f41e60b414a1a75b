import { UsageError } from './errors.ts';
import { parseTarget } from './target.ts';

test.each([
  ['ns/vm', { namespace: 'ns', name: 'vm' }],
  ['vm', { namespace: 'here', name: 'vm' }],
])('%s names %j', (text, target) => {
  expect(parseTarget(text, 'here')).toEqual(target);
});

test.each(['', '/vm', 'ns/', 'a/b/c'])('"%s" names nothing', (text) => {
  expect(() => parseTarget(text, 'here')).toThrow(UsageError);
});
